//! Tests of the clients of models, against doubles on loopback that speak the real wires.

mod model {
    mod anthropic_replies;
    mod anthropic_requests;
    mod configuration;
    mod connections;
    mod fixture;
    mod hostile_streams;
    mod openai_replies;
    mod openai_requests;
    mod retries;
    mod scripts;
    mod server_double;
}
