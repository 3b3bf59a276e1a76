//! The tool of a call, from a proven descriptor or from the table of known tools.
//!
//! To find out what a call's tool does, use this module and not the table. A claimed descriptor is not used
//! here: it is judged in addition and can only make the verdict stricter.

use serde_json::Value;

use crate::call::Call;
use crate::descriptor::{Descriptor, DescriptorKind};
use crate::input_field::InputField;
use crate::tools::{TargetField, Tool, ToolKind, by_name, canonical};

/// The tool of a call, if it is known what it does.
#[derive(Clone, Copy, Debug)]
pub struct CallTool<'a> {
    tool: &'static Tool,
    /// The target fields that a descriptor names.
    fields: Option<&'a [InputField]>,
}

/// How the value of a target field is read.
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
    /// Prose that may contain URLs.
    Prose,
}

impl<'a> CallTool<'a> {
    /// The tool of a call. `None` if nothing is known about it, or if it is proven to do several things.
    pub fn of(call: &'a Call) -> Option<CallTool<'a>> {
        match call.proven_descriptor() {
            Some(descriptor) => described(descriptor),
            None => by_name(&call.tool).map(|tool| CallTool { tool, fields: None }),
        }
    }

    /// The canonical name, as used in rules.
    pub fn name(&self) -> &'static str {
        self.tool.name
    }

    /// What it does.
    pub fn kind(&self) -> ToolKind {
        self.tool.kind
    }

    /// The entry in the table of tools. `None` for a described tool: of its input only the command, path and
    /// address fields are known.
    pub fn in_table(&self) -> Option<&'static Tool> {
        self.fields.is_none().then_some(self.tool)
    }

    /// The target fields of a described tool, or else the tool of the table.
    pub(crate) fn fields(&self) -> Result<&'a [InputField], &'static Tool> {
        self.fields.ok_or(self.tool)
    }

    /// The values of the tool's target fields in the input, in order.
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

    /// The kind of a field of the input, if it is a target field and nothing else.
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

/// The canonical tool that a descriptor corresponds to.
fn described(descriptor: &Descriptor) -> Option<CallTool<'_>> {
    let (name, fields) = match descriptor.kind() {
        DescriptorKind::Skill => {
            return canonical("skill_load").map(|tool| CallTool { tool, fields: None });
        }
        DescriptorKind::Shell => ("bash", descriptor.commands()),
        DescriptorKind::ReadFiles => ("read", descriptor.reads()),
        DescriptorKind::SearchFiles => ("grep", descriptor.searches()),
        DescriptorKind::WriteFiles => ("write", descriptor.writes()),
        DescriptorKind::Web => ("web_fetch", descriptor.addresses()),
        DescriptorKind::SubAgents | DescriptorKind::Composite | DescriptorKind::Unknown => return None,
    };
    canonical(name).map(|tool| CallTool { tool, fields: Some(fields) })
}
