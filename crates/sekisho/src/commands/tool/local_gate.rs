//! A gate in this process, with the local policy and audit log.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho::host_ports::HostFiles;
use sekisho_gate::audit::AuditConfig;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports};
use sekisho_tools::{RunStorage, ToolContext};

use crate::commands::audit::blocking_store;
use crate::failure::Failure;
use crate::secret_masks::masks;
use crate::settings::Settings;

/// Opens the audit log and starts a gate. Must run inside a runtime. The data of runs is in the same database. The rules of
/// the project are read only from the workspace of the tool.
pub(super) async fn open(
    settings: &Settings,
    keys: sekisho_gate::audit::KeyRing,
    ctx: &ToolContext,
) -> Result<(Gate, Arc<dyn RunStorage>), Failure> {
    let host_files = Arc::new(HostFiles::new(settings.locations.clone())?);
    if let Some((device, inode)) = ctx.root_id.map(|id| id.numbers()) {
        host_files.identify_root(&ctx.root, device, inode);
    }
    let seal = AuditConfig { keys: Arc::new(keys), masks: Arc::new(masks(&settings.secrets()?)?) };
    let store = blocking_store::open(settings, seal).await?;
    let rulebook = Arc::new(Rulebook::new(Arc::clone(&host_files) as _, Arc::clone(&store) as _));
    rulebook.refresh(Timestamp::now()).await?;
    let runs = Arc::clone(&store) as Arc<dyn RunStorage>;
    let ports = Ports { ledger: store as _, rulebook, lookup: host_files as _, clock: Arc::new(SystemClock) };
    let (gate, background) = Gate::new(ports, sekisho_gate::Settings::default());
    tokio::spawn(background.run());
    Ok((gate, runs))
}
