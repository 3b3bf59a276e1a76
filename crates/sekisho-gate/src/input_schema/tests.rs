use serde_json::{Map, json};

use super::step_limit::count;
use super::*;

#[test]
fn mismatch_names_the_field() {
    let schema =
        json!({ "type": "object", "required": ["to"], "properties": { "to": { "type": "string" } } });
    let schema = InputSchema::new(schema).unwrap();
    let check = |value| schema.check(&value).map_err(|error| error.to_string());
    assert_eq!(check(json!({ "to": "ada" })), Ok(()));
    let missing = "it does not match the tool's schema: \"to\" is a required property";
    assert_eq!(check(json!({})), Err(missing.to_owned()));
    let wrong = "`/to` does not match the tool's schema: 1 is not of type \"string\"";
    assert_eq!(check(json!({ "to": 1 })), Err(wrong.to_owned()));
    let long = check(json!({ "to": vec!["x"; 100_000] })).unwrap_err();
    assert!(long.len() < 2 * MAX_REASON_BYTES, "{} bytes", long.len());
    // A secret is masked if it is whole.
    let secrets = check(json!({ "to": vec!["K4tzenklo77"; 1000] })).unwrap_err();
    assert!(secrets.ends_with("\"K4tzenklo77\",…"), "{secrets}");
}

#[test]
fn unusable_schema_is_rejected() {
    for schema in [
        json!({ "type": "nonsense" }),
        json!({ "pattern": "(" }),
        json!({ "pattern": "(?:a{1000}){1000}" }),
        json!({ "pattern": "(a)\\1" }),
    ] {
        let refused = InputSchema::new(schema.clone());
        assert!(matches!(refused, Err(SchemaError::Invalid(_))), "{schema}: {refused:?}");
    }
    let long = InputSchema::new(json!({ "description": "x".repeat(MAX_SCHEMA_BYTES) }));
    assert!(matches!(long, Err(SchemaError::TooLong(_))));
}

#[test]
fn references_must_point_into_the_schema() {
    for to in [
        "https://example.com/schema.json",
        "file:///etc/hostname",
        "http://json-schema.org/draft-07/schema#",
        "json-schema:///#/$defs/a",
        "#/$defs/gone",
        "#/%24defs/a",
        "#name",
        "other#/$defs/a",
        "",
    ] {
        for schema in [
            json!({ "$ref": to, "$defs": { "a": { "$anchor": "name" } } }),
            json!({ "properties": { "x": { "items": [{ "$ref": to }] } }, "$defs": { "a": {} } }),
        ] {
            assert_eq!(InputSchema::new(schema), Err(SchemaError::Reference(to.to_owned())));
        }
    }
    for (schema, keyword) in [
        (json!({ "$dynamicRef": "#a", "$defs": { "a": { "$dynamicAnchor": "a" } } }), "$dynamicRef"),
        (json!({ "items": { "$recursiveRef": "#" } }), "$recursiveRef"),
        (json!({ "$defs": { "a": { "$id": "https://a.test/", "$ref": "#" } } }), "$id"),
        (json!({ "not": { "$schema": "http://json-schema.org/draft-04/schema#" } }), "$schema"),
    ] {
        assert_eq!(InputSchema::new(schema), Err(SchemaError::Keyword(keyword)));
    }
    for draft in [json!("http://json-schema.org/draft-04/schema#"), json!("https://a.test/mine"), json!(4)] {
        assert!(matches!(InputSchema::new(json!({ "$schema": draft })), Err(SchemaError::Draft(_))));
    }
}

#[test]
fn typical_tool_schemas_are_accepted() {
    let tree = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://a.test/tree",
        "type": "object",
        "properties": {
            "$ref": { "type": "string" },
            "$id": { "type": "string" },
            "filter": { "$ref": "#/definitions/filter" },
            "again": { "$ref": "#/properties/filter" },
        },
        "definitions": {
            "filter": {
                "anyOf": [
                    { "type": "string" },
                    { "type": "object", "properties": { "and": { "type": "array", "items": { "$ref": "#/definitions/filter" } } } },
                ],
            },
        },
        "additionalProperties": false,
    });
    let schema = InputSchema::new(tree).unwrap();
    let filter = json!({ "and": ["a", { "and": ["b", { "and": [] }] }] });
    assert_eq!(schema.check(&json!({ "filter": filter, "again": "x", "$ref": "y" })), Ok(()));
    let wrong = schema.check(&json!({ "filter": { "and": ["a", { "and": [1] }] } }));
    assert!(matches!(wrong, Err(CheckError::Mismatch { .. })), "{wrong:?}");
    let rows: Vec<_> =
        (0..2_000).map(|row| json!({ "id": row, "country": "JP", "tags": ["a", "b"] })).collect();
    let countries: Vec<_> = (0..200).map(|at| format!("C{at}")).chain(["JP".to_owned()]).collect();
    let table = json!({ "type": "array", "items": { "type": "object", "properties": {
        "id": { "type": "integer" }, "country": { "enum": countries }, "tags": { "items": { "type": "string" }, "uniqueItems": true },
    } } });
    assert_eq!(InputSchema::new(table).unwrap().check(&json!(rows)), Ok(()));
}

fn definitions(count: usize, of: impl Fn(usize) -> Value) -> Value {
    let all: Map<String, Value> = (0..count).map(|at| (format!("d{at}"), of(at))).collect();
    json!({ "$ref": "#/$defs/d0", "$defs": all })
}

fn to(at: usize) -> Value {
    json!({ "$ref": format!("#/$defs/d{at}") })
}

fn nested(depth: usize, inner: Value, around: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(inner, |inner, _| around(inner))
}

#[track_caller]
fn check_takes_too_many_steps(schema: Value, value: Value) {
    let text = schema.to_string();
    let text = text.get(..200).unwrap_or(&text);
    match InputSchema::new(schema.clone()) {
        Ok(schema) => assert_eq!(schema.check(&value), Err(CheckError::TooManySteps), "{text}"),
        Err(error) => panic!("{error}: {text}"),
    }
    assert_eq!(count(&schema, &value), None);
}

#[test]
fn endless_schemas_are_not_evaluated() {
    check_takes_too_many_steps(json!({ "$ref": "#" }), json!(1));
    check_takes_too_many_steps(json!({ "allOf": [{ "$ref": "#" }] }), json!({}));
    check_takes_too_many_steps(definitions(2, |at| to(1 - at)), json!("x"));
    check_takes_too_many_steps(json!({ "not": { "$ref": "#" } }), json!(1));
    check_takes_too_many_steps(json!({ "if": { "$ref": "#" }, "then": true }), json!([]));
    check_takes_too_many_steps(json!({ "dependentSchemas": { "a": { "$ref": "#" } } }), json!({ "a": 1 }));
    check_takes_too_many_steps(
        json!({ "propertyNames": { "$ref": "#/$defs/a" }, "$defs": { "a": { "oneOf": [{ "$ref": "#/$defs/a" }] } } }),
        json!({ "a": 1 }),
    );
}

#[test]
fn exponential_schemas_are_not_evaluated() {
    for all in ["allOf", "anyOf", "oneOf"] {
        let doubling = |count: usize, last: Value| {
            definitions(count, move |at| {
                if at + 1 < count { json!({ all: [to(at + 1), to(at + 1)] }) } else { last.clone() }
            })
        };
        check_takes_too_many_steps(doubling(40, json!({ "type": "string" })), json!("x"));
        check_takes_too_many_steps(doubling(40, json!({ "type": "string" })), json!({ "a": [1] }));
        assert!(
            count(&doubling(5, json!(true)), &json!("x")).is_some_and(|steps| (31..200).contains(&steps))
        );
    }
    let twice = json!({ "items": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } });
    check_takes_too_many_steps(twice.clone(), nested(40, json!([]), |inner| json!([inner])));
    assert!(count(&twice, &nested(5, json!([]), |inner| json!([inner]))).is_some());
    let three = json!({ "patternProperties": { "a": { "$ref": "#" }, ".": { "$ref": "#" } }, "additionalProperties": { "$ref": "#" } });
    check_takes_too_many_steps(three, nested(20, json!(1), |inner| json!({ "a": inner })));
}

/// The validator compiles them again behind every reference: 2 KB took minutes and gigabytes, 16 KB the stack.
#[test]
fn unevaluated_keywords_are_rejected_before_they_are_compiled() {
    for (keyword, references, count) in [("unevaluatedProperties", 1, 200), ("unevaluatedItems", 3, 16)] {
        let schema = definitions(count, |at| {
            let next = vec![to((at + 1) % count); references];
            json!({ "anyOf": next, keyword: false })
        });
        assert_eq!(InputSchema::new(schema), Err(SchemaError::Unevaluated(keyword)));
    }
    let nested = nested(20, json!({}), |inner| json!({ "allOf": [inner], "unevaluatedProperties": false }));
    assert_eq!(InputSchema::new(nested), Err(SchemaError::Unevaluated("unevaluatedProperties")));
}

#[test]
fn deep_schemas_are_rejected_before_they_are_compiled() {
    for around in [
        |inner: Value| json!({ "allOf": [inner] }),
        |inner: Value| json!({ "properties": { "a": inner } }),
        |inner: Value| json!({ "default": [inner] }),
    ] {
        assert_eq!(InputSchema::new(nested(300, json!(true), around)), Err(SchemaError::TooDeep));
        assert!(InputSchema::new(nested(MAX_DEPTH / 2, json!(true), around)).is_ok());
    }
    // A long chain of references is just as deep.
    check_takes_too_many_steps(
        definitions(1_000, |at| if at < 999 { to(at + 1) } else { json!(true) }),
        json!(1),
    );
}

#[test]
fn deepest_check_fits_a_small_stack() {
    // Threads that serve requests have a 2 MiB stack.
    let checked = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        let levels = MAX_DEPTH / 2 - 2;
        let chain = definitions(40, |at| {
            if at < 39 {
                nested(levels, to(at + 1), |inner| json!({ "anyOf": [inner] }))
            } else {
                json!({ "type": "string" })
            }
        });
        let wide = InputSchema::new(chain).unwrap().check(&json!(1));
        let recursive =
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "$ref": "#" } }] });
        let value = nested(60, json!(1), |inner| json!([inner]));
        (wide, InputSchema::new(recursive).unwrap().check(&value))
    });
    let (wide, recursive) = checked.unwrap().join().unwrap();
    assert_eq!(wide, Err(CheckError::TooManySteps));
    assert!(matches!(recursive, Err(CheckError::Mismatch { .. })), "{recursive:?}");
}

#[test]
fn large_values_and_lists_take_steps() {
    let items: Vec<usize> = (0..100_000).collect();
    let unique = InputSchema::new(json!({ "uniqueItems": true })).unwrap();
    assert_eq!(unique.check(&json!(items)), Ok(()));
    check_takes_too_many_steps(
        json!({ "allOf": [{ "uniqueItems": true }, { "uniqueItems": true }] }),
        json!(items),
    );
    let names: Vec<String> = (0..4_000).map(|at| format!("n{at}")).collect();
    check_takes_too_many_steps(json!({ "items": { "enum": names } }), json!(vec!["x"; 2_000]));
    check_takes_too_many_steps(json!({ "items": { "required": names } }), json!(vec![json!({}); 2_000]));
    let long = "ab".repeat(2 << 20);
    check_takes_too_many_steps(json!({ "pattern": "[ab]{30}c" }), json!(long));
    check_takes_too_many_steps(json!({ "allOf": vec![json!({ "maxLength": 9 }); 1_000] }), json!(long));
    let patterns = |count: usize| -> Map<String, Value> {
        (0..count).map(|at| (format!("^{at}x"), json!(true))).collect()
    };
    let fields: Map<String, Value> = (0..10_000).map(|at| (format!("k{at}"), json!(1))).collect();
    check_takes_too_many_steps(json!({ "patternProperties": patterns(MAX_PATTERNS) }), json!(fields));
    let many = InputSchema::new(json!({ "patternProperties": patterns(MAX_PATTERNS + 1) }));
    assert_eq!(many, Err(SchemaError::TooManyPatterns));
    let many = vec![json!({ "pattern": "[a-z]{900}" }); MAX_PATTERNS + 1];
    assert_eq!(InputSchema::new(json!({ "allOf": many })), Err(SchemaError::TooManyPatterns));
}

#[test]
fn equal_schemas_have_the_same_version() {
    let of = |schema| InputSchema::new(schema).unwrap().version();
    assert_eq!(of(json!({ "type": "object" })), of(json!({ "type": "object" })));
    assert_ne!(of(json!({ "type": "object" })), of(json!({ "type": "array" })));
}
