//! Coprocesses, and writing to where a descriptor leads.

use std::rc::Rc;

use super::shell::Shell;
use super::sinks::{Coprocess, Sink};
use super::syntax::Stage;
use super::variables::numbered;

impl Shell<'_> {
    /// `coproc NAME body`: it is followed with what was written to it so far.
    pub(super) fn coprocess(&mut self, name: &str, body: &Rc<Stage>) {
        let reader = self.next_descriptor();
        let writer = reader.saturating_add(1);
        let numbers = vec![reader.to_string(), writer.to_string()];
        let written = self.files.descriptor();
        self.files.write(&written, "", false, false);
        let started = Rc::new(Coprocess { body: Rc::clone(body), reader, written });
        self.outputs.insert(writer, Sink::Coprocess(Rc::clone(&started)));
        self.run_coprocess(&started, "");
        self.variables_mut().set_all(name, numbered(numbers));
        self.status = Some(true);
    }

    fn run_coprocess(&mut self, process: &Coprocess, input: &str) {
        let before = std::mem::replace(&mut self.input, input.to_owned());
        let body = Rc::clone(&process.body);
        let output = self.captured(|shell| {
            shell.nested(|shell| shell.in_subshell(|shell| shell.stage(&body)));
        });
        self.input = before;
        self.descriptors.insert(process.reader, output);
    }

    /// Writes to where a descriptor leads.
    pub(super) fn write_to(&mut self, sink: Sink, text: &str) {
        match sink {
            Sink::File(path) => self.write_file(&path, text, true),
            Sink::Standard => self.print(text),
            Sink::Coprocess(process) => {
                self.files.write(&process.written, text, true, false);
                let input = self.files.read(&process.written).unwrap_or_default().to_owned();
                if self.spend(input.len()) {
                    self.run_coprocess(&process, &input);
                }
            }
        }
    }
}
