//! The tool of a call: what a proven descriptor says of it, or else what the table of known tools says of its name.
//!
//! Whoever wants to know what a call's tool does asks here, and not the table. What a caller merely claims is no answer: it
//! is judged besides, and can only tighten.

use serde_json::Value;

use crate::call::Call;
use crate::descriptor::{Descriptor, DescriptorKind};
use crate::input_field::InputField;
use crate::tools::{TargetField, Tool, ToolKind, by_name, canonical};

/// The tool of a call, where it is known what it does.
#[derive(Clone, Copy, Debug)]
pub struct CallTool<'a> {
    tool: &'static Tool,
    /// Where a descriptor says that what it acts on stands.
    fields: Option<&'a [InputField]>,
}

/// How what stands at a place is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFieldKind {
    /// One value, or a list of values.
    Values,
    /// A glob.
    Glob,
    /// Globs that pick files.
    Filter,
    /// A patch text.
    Patch,
    /// Prose, in which URLs are found.
    Prose,
}

impl<'a> CallTool<'a> {
    /// The tool of a call. None where nothing is known of it, and where it is proven to do several things.
    pub fn of(call: &'a Call) -> Option<CallTool<'a>> {
        match call.proven_descriptor() {
            Some(descriptor) => described(descriptor),
            None => by_name(&call.tool).map(|tool| CallTool { tool, fields: None }),
        }
    }

    /// The canonical name, which rules use.
    pub fn name(&self) -> &'static str {
        self.tool.name
    }

    /// What it does.
    pub fn kind(&self) -> ToolKind {
        self.tool.kind
    }

    /// The tool of the table whose input it takes. None for a tool that is described: of its input no more is known than
    /// where its commands, paths or addresses stand.
    pub fn in_table(&self) -> Option<&'static Tool> {
        self.fields.is_none().then_some(self.tool)
    }

    /// Where what it acts on stands, for a tool that is described; else the tool of the table.
    pub(crate) fn fields(&self) -> Result<&'a [InputField], &'static Tool> {
        self.fields.ok_or(self.tool)
    }

    /// What stands at the places of the input that the tool acts on, in their order.
    pub fn values<'v>(&self, input: &'v Value) -> Vec<(TargetFieldKind, &'v Value)> {
        let mut values = Vec::new();
        match self.fields {
            Some(fields) => {
                let mut add = |value: Option<&'v Value>| {
                    values.extend(value.map(|value| (TargetFieldKind::Values, value)));
                };
                fields.iter().for_each(|field| field.each(input, &mut add));
            }
            None => values.extend(self.tool.target_fields.iter().filter_map(|place| {
                let (kind, field) = split(place);
                Some((kind, input.get(field).filter(|value| !value.is_null())?))
            })),
        }
        values
    }

    /// Whether a field of the input is a place that the tool acts on, and nothing else.
    pub fn target_field_kind(&self, name: &str) -> Option<TargetFieldKind> {
        match self.fields {
            Some(fields) => {
                let named = |field: &InputField| field.top_level().as_deref() == Some(name);
                fields.iter().any(named).then_some(TargetFieldKind::Values)
            }
            None => self
                .tool
                .target_fields
                .iter()
                .map(split)
                .find(|(_, field)| *field == name)
                .map(|(kind, _)| kind),
        }
    }
}

fn split(place: &TargetField) -> (TargetFieldKind, &'static str) {
    match place {
        TargetField::Field(field) => (TargetFieldKind::Values, field),
        TargetField::Glob(field) => (TargetFieldKind::Glob, field),
        TargetField::Filter(field) => (TargetFieldKind::Filter, field),
        TargetField::Patch(field) => (TargetFieldKind::Patch, field),
        TargetField::Prose(field) => (TargetFieldKind::Prose, field),
    }
}

/// The canonical tool that a descriptor stands for.
fn described(descriptor: &Descriptor) -> Option<CallTool<'_>> {
    let (name, fields) = match descriptor.kind() {
        DescriptorKind::Shell => ("bash", descriptor.commands()),
        DescriptorKind::ReadFiles => ("read", descriptor.reads()),
        DescriptorKind::SearchFiles => ("grep", descriptor.searches()),
        DescriptorKind::WriteFiles => ("write", descriptor.writes()),
        DescriptorKind::Web => ("web_fetch", descriptor.addresses()),
        DescriptorKind::Composite | DescriptorKind::Unknown => return None,
    };
    canonical(name).map(|tool| CallTool { tool, fields: Some(fields) })
}
