//! What is counted, for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
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

/// A number that grows and shrinks, held by whoever makes it grow.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicU64);

/// One of what a gauge counts. Dropping it is the end of it.
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
    /// What callers of can-use-tool were told: allow, deny.
    pub(crate) can_use_tool_responses: [Counter; 2],
    /// Answers that were taken.
    pub(crate) answers: Counter,
    /// Requests that were turned away at the edge: unknown caller, role, host, origin, rate.
    pub(crate) rejected_requests: Counter,
    /// Callers that wait for a human.
    pub(crate) waiting_callers: Gauge,
    /// Devices that listen.
    pub(crate) listeners: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
}

impl Metrics {
    /// Writes all of it.
    pub(crate) fn write(&self, page: &mut PrometheusText) {
        let [allowed, asked, denied] = &self.decide_verdicts;
        page.labelled(
            "sekisho_advised_total",
            "counter",
            "Advisory verdicts.",
            &[
                (&[("decision", "allow")], allowed.get()),
                (&[("decision", "confirm")], asked.get()),
                (&[("decision", "deny")], denied.get()),
            ],
        );
        let [let_through, turned_back] = &self.can_use_tool_responses;
        page.labelled(
            "sekisho_told_total",
            "counter",
            "What callers that asked were told.",
            &[(&[("behavior", "allow")], let_through.get()), (&[("behavior", "deny")], turned_back.get())],
        );
        page.counter("sekisho_answers_total", "Answers that were taken.", self.answers.get());
        let turned_away =
            "Requests that were turned away at the edge: unknown caller, role, host, origin, rate.";
        page.counter("sekisho_requests_turned_away_total", turned_away, self.rejected_requests.get());
        page.gauge("sekisho_callers_waiting", "Callers that wait for a human.", self.waiting_callers.get());
        page.gauge("sekisho_listeners", "Devices that listen.", self.listeners.get());
        page.gauge("sekisho_connections", "Open connections.", self.connections.get());
    }
}

/// A page of metrics in Prometheus' text format.
#[derive(Debug, Default)]
pub(crate) struct PrometheusText(String);

impl PrometheusText {
    /// A number that only grows.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.labelled(name, "counter", help, &[(&[], value)]);
    }

    /// A number that grows and shrinks.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.labelled(name, "gauge", help, &[(&[], value)]);
    }

    /// Numbers of one name, told apart by labels.
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

    /// The page.
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
