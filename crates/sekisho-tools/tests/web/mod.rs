//! `web_fetch` and `web_search` against servers on loopback, most of them hostile.
//!
//! In these tests 127.0.0.2 stands for the public internet and 127.0.0.1 for this machine's own services.

mod addresses;
mod contents;
mod contract;
mod framing;
mod hidden_styles;
mod html_pages;
mod html_work;
mod names;
mod redirects;
mod requests;
mod robots;
mod search;
mod server_double;
mod tls;
mod web_fixture;
