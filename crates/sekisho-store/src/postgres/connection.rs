//! One connection in use.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};

use deadpool_postgres::ClientWrapper;
use futures_util::TryStreamExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::error_class::ErrorClass;
use crate::transaction_error::{TransactionError, TransactionResult};

/// The values of a statement, in order.
pub(super) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// One column of many rows.
pub(super) fn column<'r, R, T>(rows: &'r [R], value: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// A connection that prepares each statement once and remembers the class of its errors.
pub(super) struct PgConnection<'c> {
    client: &'c ClientWrapper,
    trouble: Mutex<Option<ErrorClass>>,
}

impl<'c> PgConnection<'c> {
    pub(super) fn new(client: &'c ClientWrapper) -> PgConnection<'c> {
        PgConnection { client, trouble: Mutex::new(None) }
    }

    /// What its errors so far mean for the transaction.
    pub(super) fn trouble(&self) -> Option<ErrorClass> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, error: Error) -> TransactionError {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *trouble = trouble.or(ErrorClass::of(&error));
        TransactionError::from(error)
    }

    /// Runs a statement and returns how many rows it changed.
    pub(super) async fn run(&self, sql: &'static str, values: Values<'_>) -> TransactionResult<u64> {
        let done = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.execute(&statement, values).await
        };
        done.await.map_err(|error| self.fault(error))
    }

    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> TransactionResult<Vec<Row>> {
        let done = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.query(&statement, values).await
        };
        done.await.map_err(|error| self.fault(error))
    }

    /// Passes rows to a callback as they arrive, until it wants no more.
    pub(super) async fn rows_while(
        &self,
        sql: &str,
        values: Values<'_>,
        mut take: impl FnMut(Row) -> TransactionResult<bool>,
    ) -> TransactionResult<()> {
        let asked = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.query_raw(&statement, values.iter().copied()).await
        };
        let mut rows = pin!(asked.await.map_err(|error| self.fault(error))?);
        while let Some(row) = rows.try_next().await.map_err(|error| self.fault(error))? {
            if !take(row)? {
                break;
            }
        }
        Ok(())
    }

    pub(super) async fn row(&self, sql: &'static str, values: Values<'_>) -> TransactionResult<Option<Row>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The row of a query that returns exactly one.
    pub(super) async fn one(&self, sql: &'static str, values: Values<'_>) -> TransactionResult<Row> {
        self.row(sql, values)
            .await?
            .ok_or_else(|| TransactionError::inconsistent("a required row is missing"))
    }

    /// Runs statements without values.
    pub(super) async fn batch_execute(&self, sql: &str) -> TransactionResult<()> {
        self.client.batch_execute(sql).await.map_err(|error| self.fault(error))
    }
}
