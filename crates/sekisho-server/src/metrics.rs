//! Counters for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that grows and shrinks. A guard holds each increment.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicU64);

/// Holds one increment of a gauge. Dropping it lowers the gauge.
pub(crate) struct GaugeGuard<'a>(&'a Gauge);

impl Gauge {
    pub(crate) fn hold(&self) -> GaugeGuard<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(self)
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Advisory verdicts: allow, confirm, deny.
    pub(crate) decide_verdicts: [Counter; 3],
    /// Responses of can-use-tool: allow, deny.
    pub(crate) can_use_tool_responses: [Counter; 2],
    /// Accepted answers.
    pub(crate) answers: Counter,
    /// Requests rejected by the middleware: unknown caller, role, host, origin, rate.
    pub(crate) rejected_requests: Counter,
    /// Callers waiting for a human.
    pub(crate) waiting_callers: Gauge,
    /// Subscribers of event streams.
    pub(crate) listeners: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
}

impl Metrics {
    /// Writes all metrics.
    pub(crate) fn write(&self, page: &mut PrometheusText) {
        let [allowed, confirmed, denied] = &self.decide_verdicts;
        page.labelled(
            "sekisho_advised_total",
            "counter",
            "Advisory verdicts.",
            &[
                (&[("decision", "allow")], allowed.get()),
                (&[("decision", "confirm")], confirmed.get()),
                (&[("decision", "deny")], denied.get()),
            ],
        );
        let [passed, blocked] = &self.can_use_tool_responses;
        page.labelled(
            "sekisho_told_total",
            "counter",
            "Responses to callers that asked whether a call may run.",
            &[(&[("behavior", "allow")], passed.get()), (&[("behavior", "deny")], blocked.get())],
        );
        page.counter("sekisho_answers_total", "Accepted answers to approvals.", self.answers.get());
        let rejected = "Requests rejected before their route: unknown caller, role, host, origin, rate.";
        page.counter("sekisho_requests_turned_away_total", rejected, self.rejected_requests.get());
        page.gauge("sekisho_callers_waiting", "Callers waiting for a human.", self.waiting_callers.get());
        page.gauge("sekisho_listeners", "Subscribers of event streams.", self.listeners.get());
        page.gauge("sekisho_connections", "Open connections.", self.connections.get());
    }
}

/// A page in Prometheus' text format.
#[derive(Debug, Default)]
pub(crate) struct PrometheusText(String);

impl PrometheusText {
    /// Adds a counter.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.labelled(name, "counter", help, &[(&[], value)]);
    }

    /// Adds a gauge.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.labelled(name, "gauge", help, &[(&[], value)]);
    }

    /// Adds several values of one metric, distinguished by labels.
    pub(crate) fn labelled(&mut self, name: &str, kind: &str, help: &str, values: &[(&[(&str, &str)], u64)]) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let labels: Vec<String> =
                labels.iter().map(|(label, text)| format!("{label}=\"{}\"", escaped(text))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(self.0, "{name}{labels} {value}");
        }
    }

    /// The text of the page.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::PrometheusText;

    #[test]
    fn labels_and_help_stay_on_their_line() {
        let mut page = PrometheusText::default();
        page.labelled("x", "gauge", "two\nlines \\", &[(&[("a", "\"\\\n"), ("b", "c")], 3)]);
        page.counter("y", "plain", 4);
        let expected = "# HELP x two\\nlines \\\\\n# TYPE x gauge\nx{a=\"\\\"\\\\\\n\",b=\"c\"} 3\n\
                        # HELP y plain\n# TYPE y counter\ny 4\n";
        assert_eq!(page.finish(), expected);
    }
}
