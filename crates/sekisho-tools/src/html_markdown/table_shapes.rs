//! Which tables have data, and which only arrange a page.

use std::collections::HashMap;

use super::element::Element;
use super::tree::{NodeId, Step, Tree};

/// The size of a table.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    columns: usize,
    rows: usize,
    has_table: bool,
}

/// The shapes of all tables of a page, found in one walk.
#[derive(Debug, Default)]
pub(super) struct TableShapes(HashMap<NodeId, Shape>);

impl TableShapes {
    pub(super) fn of(tree: &Tree) -> TableShapes {
        let mut shapes = HashMap::new();
        let mut open: Vec<(NodeId, Shape, usize)> = Vec::new();
        for step in tree.walk(tree.root()) {
            match step {
                Step::Enter(id) => match (tree.element(id), open.last_mut()) {
                    (Some(Element::Table), around) => {
                        if let Some((_, shape, _)) = around {
                            shape.has_table = true;
                        }
                        open.push((id, Shape::default(), 0));
                    }
                    (Some(Element::Row), Some((_, shape, cells))) => {
                        shape.rows += 1;
                        *cells = 0;
                    }
                    (Some(Element::Cell), Some((_, shape, cells))) => {
                        *cells += 1;
                        shape.columns = shape.columns.max(*cells);
                    }
                    _ => {}
                },
                Step::Leave(id) => {
                    if let Some((id, shape, _)) = open.pop_if(|(table, _, _)| *table == id) {
                        shapes.insert(id, shape);
                    }
                }
            }
        }
        TableShapes(shapes)
    }

    /// Whether a table is written as one: it has columns and rows, and no table inside.
    pub(super) fn has_data(&self, table: NodeId) -> bool {
        self.0.get(&table).is_some_and(|shape| shape.columns > 1 && shape.rows > 0 && !shape.has_table)
    }
}
