//! Tests of the clients of models, against doubles on loopback that speak the real wires.

#[cfg(test)]
mod model {
    mod anthropic_replies;
    mod anthropic_requests;
    mod broken_streams_page;
    mod calls_of_broken_streams;
    mod configuration;
    mod connections;
    mod conversation;
    mod fixture;
    mod hostile_anthropic;
    mod hostile_openai;
    mod hostile_streams;
    mod openai_calls;
    mod openai_replies;
    mod openai_requests;
    mod retries;
    mod scripts;
    mod server_double;
    mod whole_runs;
}
