//! The PostgreSQL database to copy into.

use sekisho_gate::audit::{ChainHead, KeyRing, Verifier};

use super::super::audit::{self, rows};
use super::super::connection::PgConnection;
use super::column_batch::ColumnBatch;
use super::tables::{ALL, Table};
use crate::encoding::count_from_column;
use crate::transaction_error::{TransactionError, TransactionResult};

/// A database, inside the one transaction that fills it.
pub(super) struct Target<'c> {
    pub(super) db: PgConnection<'c>,
}

/// How many rows of the audit log are in memory at once.
const PAGE: usize = 4096;

/// Tables that must be empty and are not filled.
const LEFT_OUT: [&str; 2] = ["replicas", "holds"];

impl Target<'_> {
    /// Begins the transaction and locks every table against all others.
    pub(super) async fn begin(&self) -> TransactionResult<()> {
        let names: Vec<_> = names().chain(["meta"]).collect();
        let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", names.join(", "));
        self.db.batch_execute(&format!("BEGIN; {lock}; SET LOCAL statement_timeout = 0")).await
    }

    /// The first table that has a row.
    pub(super) async fn first_full(&self) -> TransactionResult<Option<&'static str>> {
        for table in names() {
            if self.yes(&format!("SELECT EXISTS (SELECT 1 FROM {table})")).await? {
                return Ok(Some(table));
            }
        }
        let counted = self.yes("SELECT EXISTS (SELECT 1 FROM meta WHERE value <> 0)").await?;
        Ok(counted.then_some("meta"))
    }

    async fn yes(&self, question: &str) -> TransactionResult<bool> {
        let rows = self.db.rows(question, &[]).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or(false))
    }

    pub(super) async fn insert(&self, table: &Table, batch: &ColumnBatch) -> TransactionResult<()> {
        self.db.rows(&table.insert(), &batch.values()).await.map(drop)
    }

    /// Sets every counter so that it continues from the file's value.
    pub(super) async fn restore_counters(
        &self,
        counters: &[(String, i64)],
        last_event: i64,
        last_numbers: &[(&str, i64)],
    ) -> TransactionResult<()> {
        let set = "INSERT INTO meta (name, value) VALUES ($1, $2) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        for (name, value) in counters {
            self.db.run(set, &[name, value]).await?;
        }
        self.db.run(set, &[&"events", &last_event]).await?;
        for (table, last) in last_numbers {
            let next = last.saturating_add(1);
            // Unlike `setval`, this is undone with the transaction.
            self.db
                .batch_execute(&format!("ALTER TABLE {table} ALTER COLUMN seq RESTART WITH {next}"))
                .await?;
        }
        Ok(())
    }

    pub(super) async fn count(&self, table: &str) -> TransactionResult<u64> {
        let rows = self.db.rows(&format!("SELECT count(*) FROM {table}"), &[]).await?;
        count_from_column(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or(0))
    }

    /// Reads the audit log back: every chain verifies and has the same head as in the file.
    pub(super) async fn verify(
        &self,
        keys: &KeyRing,
        heads: &[ChainHead],
        told: &mut dyn FnMut(u64, u64),
    ) -> TransactionResult<()> {
        let broken = |what: String| {
            TransactionError::inconsistent(format!(
                "the copied audit log does not verify: {what}; nothing was copied; run `sekisho audit verify`"
            ))
        };
        let cuts = audit::cuts(&self.db).await?;
        let mut verifier = Verifier::new(keys, cuts, heads).map_err(|bad| broken(bad.to_string()))?;
        let of = self.count("audit_log").await?;
        let mut last = None;
        loop {
            let rows = rows::rows(&self.db, last, PAGE).await?;
            let Some(row) = rows.last() else { break };
            last = Some((row.writer, row.seq));
            rows.iter().try_for_each(|row| verifier.row(row)).map_err(|bad| broken(bad.to_string()))?;
            told(verifier.rows(), of);
        }
        let report = verifier.finish().map_err(|bad| broken(bad.to_string()))?;
        let ends = rows::ends(&self.db).await?;
        let written = ends.iter().map(|(head, _)| head);
        if report.heads == heads && written.eq(heads) {
            return Ok(());
        }
        Err(broken("its chains have other heads than those of the file".into()))
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|table| table.name).chain(LEFT_OUT)
}
