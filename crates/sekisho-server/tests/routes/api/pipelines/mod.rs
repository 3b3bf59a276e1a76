//! Pipelines: their definitions, and their runs.

mod definitions;
mod limits;
mod pipeline_fixture;
mod runs;
