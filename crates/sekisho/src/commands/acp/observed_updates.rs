//! What the agent's updates about its calls mean for open questions, and for where the shell of a session may be.

use serde_json::{Map, Value};

use super::call_fields::{CallFields, CallUpdate, UnclearUpdate};
use super::known_calls::{EndedCall, ShellNews, UnaskedCall, include_running};
use super::notes::print_note;
use super::permission_request::PermissionRequest;
use super::proxy::{Proxy, lock};
use super::raw_fields::field_of;
use super::shell_directories::ShellCommand;
use super::tool_call::unasked_command;

impl Proxy {
    pub(super) async fn observe_update(&self, text: &str) {
        let update = match CallUpdate::read(field_of(text, "params")) {
            Ok(Some(update)) => update,
            Ok(None) => return,
            Err(UnclearUpdate { session }) => return self.forget_calls(session.as_deref()).await,
        };
        let (news, ended, changed) = {
            let mut state = lock(&self.state);
            let news = state.known.shell_news(&update);
            let ended = state.known.call_updated(&update);
            let (changed, leads_to) = state.questions.withdraw_changed(&update);
            state.known.shell_led_to(&update.session, &leads_to);
            (news, ended, changed)
        };
        if let Some(news) = news {
            self.follow(&update, news);
        }
        if let Some(EndedCall { execution, is_error }) = ended {
            self.report(execution, is_error, None);
        }
        if !changed.is_empty() {
            self.respond_cancelled(changed).await;
            print_note("cancelled: the agent changed the call while the question was open");
        }
    }

    /// Remembers where a call may move the shell about which nobody was asked, or not as it is now.
    fn follow(&self, update: &CallUpdate<'_>, news: ShellNews) {
        let Ok((cwd, mut shell)) = self.directory_of(&update.session) else { return };
        let running: Vec<UnaskedCall> = lock(&self.state).known.unasked(&update.session, Some(&update.call));
        include_running(&mut shell, &cwd, &running);
        let (ShellNews::Begun(call) | ShellNews::Changed(call) | ShellNews::Ended(call)) = &news;
        let command = command_of(call, &cwd);
        let leads_to = shell.added_by(&cwd, &command);
        let key = (update.session.clone(), update.call.clone());
        // Not while the state is locked.
        let unknown = shell.added_by(&cwd, &ShellCommand::Unknown);
        let mut state = lock(&self.state);
        match news {
            ShellNews::Begun(_) => state.known.unasked_began(key, UnaskedCall { command, leads_to }),
            ShellNews::Changed(_) if command == ShellCommand::Nothing => {}
            // What was allowed may run, and something else, too.
            ShellNews::Changed(_) => state.known.shell_led_to(&update.session, &unknown),
            ShellNews::Ended(_) => {
                let begun = state.known.take_unasked(&key);
                state.known.shell_led_to(&update.session, &leads_to);
                if let Some(begun) = begun {
                    state.known.shell_led_to(&update.session, &begun.leads_to);
                }
            }
        }
    }

    /// A call is asked about now. What was said about it before may have run already, if that was something else.
    pub(super) fn asked_about(
        &self,
        request: &PermissionRequest,
        values: Option<&Map<String, Value>>,
        cwd: &str,
    ) {
        let asked = values.map(|values| unasked_command(values, cwd));
        let mut state = lock(&self.state);
        let begun = state.known.take_unasked(&(request.session.clone(), request.call.clone()));
        if let Some(begun) = begun.filter(|begun| asked.as_ref() != Some(&begun.command)) {
            state.known.shell_led_to(&request.session, &begun.leads_to);
        }
    }

    /// An update that cannot be read may have changed what was said before, and what is asked now.
    async fn forget_calls(&self, session: Option<&str>) {
        print_note(match session {
            Some(_) => {
                "an update of the agent cannot be read: what it said about the calls of this session no longer counts"
            }
            None => "an update of the agent cannot be read: what it said about its calls no longer counts",
        });
        lock(&self.state).known.forget_calls(session);
        let is_it = |request: &PermissionRequest| session.is_none_or(|session| request.session == session);
        if self.cancel_questions(is_it).await {
            print_note("cancelled: the agent sent an update that cannot be read while a question was open");
        }
    }
}

/// The command of a call. Its title and what it prints are not read: an agent may have cut them anywhere.
fn command_of(call: &CallFields, cwd: &str) -> ShellCommand {
    call.command_values().map_or(ShellCommand::Unknown, |values| unasked_command(&values, cwd))
}
