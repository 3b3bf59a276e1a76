//! PostgreSQL: the store on one server, and a plain client on another. Both servers are started here.
//!
//! The peer does not wait between the statements of a transaction, only for its end.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::audit::{ChainWriter, WriterId};
use sekisho_gate::ledger::Admission;
use sekisho_store::PostgresStore;
use sekisho_store::postgres::Options;
use sekisho_testkit::fixtures;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use crate::postgres_server::PostgresServer;
use super::{Backend, Failure};

/// How often to check for a starting server, a tenth of a second apart.
const TRIES: usize = 200;

/// A store on one server, its peer on another. `None` if PostgreSQL is not installed.
pub fn postgres(runtime: &Runtime) -> Result<Option<Backend>, Failure> {
    let (Some(server), Some(peer)) = (PostgresServer::start()?, PostgresServer::start()?) else {
        return Ok(None);
    };
    let handle = runtime.handle().clone();
    let (store, db) = handle.block_on(async {
        drop(connect(&server.url).await?);
        let store = PostgresStore::open(&server.url, Options::new(fixtures::audit_config())).await?;
        // The same tables with the same indexes.
        drop(connect(&peer.url).await?);
        drop(PostgresStore::open(&peer.url, Options::new(fixtures::audit_config())).await?);
        Ok::<_, Failure>((store, PlainClient::new(connect(&peer.url).await?).await?))
    })?;
    let mut chain_writer =
        ChainWriter::new(WriterId(ReplicaId::new(Timestamp::now()).0), fixtures::audit_config().keys);
    let servers = (server, peer);
    Ok(Some(Backend {
        name: "PostgreSQL",
        target: 8.0,
        ledger: Arc::new(store),
        insert_one: Box::new(move |admission| {
            let _running = &servers;
            handle.block_on(db.insert(&mut chain_writer, admission))
        }),
    }))
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let mut tries = 0;
    loop {
        match tokio_postgres::connect(url, NoTls).await {
            Ok((client, connection)) => {
                tokio::spawn(connection);
                return Ok(client);
            }
            Err(error) if tries == TRIES => return Err(error.into()),
            Err(_) => tries += 1,
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

type Values<'a, const N: usize> = [&'a (dyn ToSql + Sync); N];

/// A client with its statements.
struct PlainClient {
    client: Client,
    begin: Statement,
    call: Statement,
    execution: Statement,
    row: Statement,
    head: Statement,
    event: Statement,
    commit: Statement,
}

impl PlainClient {
    async fn new(client: Client) -> Result<PlainClient, Failure> {
        Ok(PlainClient {
            begin: client.prepare("BEGIN").await?,
            call: client
                .prepare(
                    "INSERT INTO calls (id, input, digest, tool, agent, credential, conversation, call_id, cwd, \
                     created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                )
                .await?,
            execution: client
                .prepare(
                    "INSERT INTO tool_executions (id, tool_name, input, created_at, call) \
                     VALUES ($1, $2, $3, $4, $5)",
                )
                .await?,
            row: client
                .prepare(
                    "INSERT INTO audit_log (writer, seq, key, at, kind, call, execution, tool, agent, credential, \
                     decision, text, body, previous, code) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
                )
                .await?,
            head: client
                .prepare(
                    "INSERT INTO writers (writer, seq, code, told) VALUES ($1, $2, $3, $2) ON CONFLICT (writer) \
                     DO UPDATE SET seq = excluded.seq, code = excluded.code, told = excluded.told",
                )
                .await?,
            event: client
                .prepare(
                    "WITH counter AS (UPDATE meta SET value = value + 1 WHERE name = 'events' RETURNING value) \
                     INSERT INTO events (seq, at, body) SELECT value, $1, $2 FROM counter",
                )
                .await?,
            commit: client.prepare("COMMIT").await?,
            client,
        })
    }

    async fn insert(&self, chain_writer: &mut ChainWriter, admission: &Admission) -> Result<(), Failure> {
        let row = chain_writer.write(&fixtures::masked(admission.record.entry.clone())).ok_or("no key")?;
        let (stored, at) = (&admission.call, row.at_us);
        let call = &stored.call;
        let input = serde_json::to_string(&call.input)?;
        let event = serde_json::to_string(&admission.record.event)?;
        let agent = call.agent.as_ref().map(|agent| &agent.id);
        let execution = admission.execution.map(|execution| execution.0);
        let (seq, key) = (i64::try_from(row.seq)?, i32::try_from(row.key)?);
        let (digest, previous, code) =
            (stored.digest.0.as_slice(), row.previous.0.as_slice(), row.code.0.as_slice());
        let call_values: Values<'_, 10> = [
            &stored.id.0,
            &input,
            &digest,
            &call.tool,
            &agent,
            &stored.asker.credential,
            &call.conversation,
            &call.call_id,
            &call.cwd,
            &at,
        ];
        let execution_values: Values<'_, 5> = [&execution, &call.tool, &input, &at, &stored.id.0];
        let row_values: Values<'_, 15> = [
            &row.writer.0,
            &seq,
            &key,
            &at,
            &row.kind,
            &row.call,
            &row.execution,
            &row.tool,
            &row.agent,
            &row.credential,
            &row.decision,
            &row.text,
            &row.body,
            &previous,
            &code,
        ];
        let (head_values, event_values): (Values<'_, 3>, Values<'_, 2>) =
            ([&row.writer.0, &seq, &code], [&at, &event]);
        let db = &self.client;
        tokio::try_join!(
            biased;
            db.execute(&self.begin, &[]),
            db.execute(&self.call, &call_values),
            db.execute(&self.execution, &execution_values),
            db.execute(&self.row, &row_values),
            db.execute(&self.head, &head_values),
            db.execute(&self.event, &event_values),
            db.execute(&self.commit, &[]),
        )?;
        Ok(())
    }
}
