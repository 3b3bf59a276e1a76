//! One line of a corpus file as a call: `TOOL [on SERVER] [by AGENT] [in DIRECTORY] [as DESCRIPTOR] [INPUT]`.

use serde_json::Value;

use crate::call::{Call, IdClaim};
use crate::descriptor::{Descriptor, DescriptorSource, SourcedDescriptor};
use crate::{exact_json, main_input};

/// Parses a call. A name may be written as a JSON string. A server, an agent or a descriptor followed by `?`
/// is only claimed. An input that is a string is the command, path or URL of a known tool.
pub(super) fn read(line: &str, cwd: Option<&str>) -> Result<Call, String> {
    let mut rest = line;
    let mut call = Call::new(name(&mut rest)?, Value::Null);
    call.cwd = cwd.map(Into::into);
    loop {
        rest = rest.trim_start();
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "on" | "by" | "in" | "as" => rest = after.trim_start(),
            _ => break,
        }
        match word {
            "on" => call.server = Some(named(&mut rest)?),
            "by" => call.agent = Some(named(&mut rest)?),
            "as" => call.descriptor = Some(Box::new(described(&mut rest)?)),
            _ => call.cwd = Some(name(&mut rest)?).filter(|directory| directory != "nowhere"),
        }
    }
    // A proven descriptor is proven by the server that provides the tool.
    if let Some(described) = call.descriptor.take() {
        let pinned = call.server.is_some() && described.by() == DescriptorSource::Registry;
        let tool = || described.tool().clone();
        call.descriptor =
            Some(if pinned { Box::new(SourcedDescriptor::by_pinned_server(tool())) } else { described });
    }
    if rest.is_empty() {
        return Ok(call);
    }
    call.input = match exact_json::read(rest)? {
        Value::String(text) => match main_input(&call.tool, &text) {
            Value::Null => return Err(format!("`{}` has no main input", call.tool)),
            input => input,
        },
        input => input,
    };
    Ok(call)
}

/// Consumes a word, or a JSON string.
fn name(rest: &mut &str) -> Result<String, String> {
    if rest.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let name = values.next().ok_or("a name is missing")?.map_err(|error| error.to_string())?;
        *rest = rest.get(values.byte_offset()..).unwrap_or("");
        return Ok(name);
    }
    let end = rest.find(' ').unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end).ok_or("a name is missing")?;
    *rest = after;
    if word.is_empty() { Err("a name is missing".into()) } else { Ok(word.into()) }
}

fn described(rest: &mut &str) -> Result<SourcedDescriptor, String> {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Descriptor>();
    let tool = values.next().ok_or("a descriptor is missing")?.map_err(|error| error.to_string())?;
    *rest = rest.get(values.byte_offset()..).unwrap_or("");
    Ok(match rest.strip_prefix('?') {
        Some(after) => {
            *rest = after;
            SourcedDescriptor::claimed(tool)
        }
        None => SourcedDescriptor::by_registry(tool),
    })
}

fn named(rest: &mut &str) -> Result<IdClaim, String> {
    let name = name(rest)?;
    if let Some(after) = rest.strip_prefix('?') {
        *rest = after;
        return Ok(IdClaim::claimed(name));
    }
    Ok(match name.strip_suffix('?') {
        Some(claimed) => IdClaim::claimed(claimed),
        None => IdClaim::proven(name),
    })
}
