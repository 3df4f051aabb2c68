//! Where a command prints.
//!
//! Comes in: results, notes and news. Goes out: results on standard output; notes, and news while
//! something goes on, on standard error. Colours and a live line are for terminals only.

use std::io::{self, IsTerminal as _, Write};

use crate::text;

/// Standard output and standard error of a command, and what they are.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    facts: Facts,
    /// A live line stands on standard error.
    live: bool,
    /// What was last written to standard output has no line end.
    within_line: bool,
}

/// What the streams are.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// Standard error is a terminal, which can hold a live line.
    live: bool,
    /// Somebody can be asked.
    ask: bool,
    /// Both streams are the same terminal, as far as one can know.
    shared: bool,
    out_colours: bool,
    err_colours: bool,
}

/// How a word stands out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Warn,
    Bad,
}

/// How wide a live line is at most. One that is wider than the terminal would leave traces.
const LIVE_WIDTH: usize = 78;

impl<'a> Console<'a> {
    /// Prints to buffers or files: without colours and live lines.
    pub fn plain(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self {
            out,
            err,
            facts: Facts::default(),
            live: false,
            within_line: false,
        }
    }

    /// Prints to standard output and standard error of the process, which are looked at: whether they
    /// are terminals, and whether those want colours (`NO_COLOR`, `TERM=dumb`).
    pub fn standard(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        let (out_terminal, err_terminal) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let colours = set("NO_COLOR").is_none() && !dumb;
        Self {
            facts: Facts {
                live: err_terminal && !dumb,
                ask: err_terminal && io::stdin().is_terminal(),
                shared: out_terminal && err_terminal,
                out_colours: out_terminal && colours,
                err_colours: err_terminal && colours,
            },
            ..Self::plain(out, err)
        }
    }

    /// True when there is somebody who can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.facts.ask
    }

    /// Prints a result as it is.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn print(&mut self, result: &str) -> io::Result<()> {
        self.clear()?;
        self.out.write_all(result.as_bytes())?;
        if let Some(last) = result.as_bytes().last() {
            self.within_line = *last != b'\n';
        }
        // Pieces of a line are seen as they come.
        self.out.flush()
    }

    /// Prints a line of a result.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn line(&mut self, result: &str) -> io::Result<()> {
        self.end_line()?;
        self.print(result)?;
        self.print("\n")
    }

    /// Ends a line that has begun.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        if self.within_line {
            self.print("\n")?;
        }
        Ok(())
    }

    /// Says something beside the result.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn note(&mut self, note: &str) -> io::Result<()> {
        self.clear()?;
        if self.facts.shared {
            self.end_line()?;
        }
        writeln!(self.err, "{note}")
    }

    /// Says what is going on: on a terminal in a line that the next news takes the place of,
    /// elsewhere in one of its own.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn news(&mut self, news: &str) -> io::Result<()> {
        if self.facts.live {
            return self.tick(news);
        }
        self.note(news)
    }

    /// As [`Console::news`], but nothing where there is no terminal.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn tick(&mut self, news: &str) -> io::Result<()> {
        // A text that is being written is news enough.
        if !self.facts.live || (self.facts.shared && self.within_line) {
            return Ok(());
        }
        let news: String = news.chars().take(LIVE_WIDTH).collect();
        self.live = true;
        write!(self.err, "\r\x1b[2K{news}")?;
        self.err.flush()
    }

    /// Asks for a line. The answer is read by the caller.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn prompt(&mut self) -> io::Result<()> {
        self.clear()?;
        if self.facts.shared {
            self.end_line()?;
        }
        write!(self.err, "> ")?;
        self.err.flush()
    }

    /// Says why a command failed. Nobody is left to be told when that fails too.
    pub(crate) fn error(&mut self, message: &str) {
        let label = paint(self.facts.err_colours, Style::Bad, "error:");
        let _ = self.note(&format!("{label} {message}"));
    }

    fn clear(&mut self) -> io::Result<()> {
        if self.live {
            self.live = false;
            write!(self.err, "\r\x1b[2K")?;
            self.err.flush()?;
        }
        Ok(())
    }

    /// A word of a result, as it stands out.
    pub(crate) fn paint(&self, style: Style, word: &str) -> String {
        paint(self.facts.out_colours, style, word)
    }

    /// A word of a note, as it stands out.
    pub(crate) fn paint_note(&self, style: Style, word: &str) -> String {
        paint(self.facts.err_colours, style, word)
    }

    /// Prints a JSON document, or a line of them.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn json(&mut self, json: &str) -> io::Result<()> {
        self.line(&text::json(json))
    }
}

fn paint(colours: bool, style: Style, word: &str) -> String {
    if !colours {
        return word.to_owned();
    }
    let code = match style {
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Good => "32",
        Style::Warn => "33",
        Style::Bad => "1;31",
    };
    format!("\x1b[{code}m{word}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command prints that does a bit of everything.
    fn printed(facts: Facts) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console {
            facts,
            ..Console::plain(&mut out, &mut err)
        };
        console.news("working").unwrap();
        console.tick("1 s").unwrap();
        console.print("a").unwrap();
        console.news("more").unwrap();
        console.print("b").unwrap();
        console.note("done").unwrap();
        console.line(&console.paint(Style::Bold, "end")).unwrap();
        console.error("x");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(out), text(err))
    }

    #[test]
    fn a_pipe_gets_lines() {
        let (out, err) = printed(Facts::default());
        assert_eq!(out, "ab\nend\n");
        assert_eq!(err, "working\nmore\ndone\nerror: x\n");
    }

    #[test]
    fn a_terminal_gets_a_live_line_and_colours() {
        let (out, err) = printed(Facts {
            live: true,
            ask: true,
            shared: true,
            out_colours: true,
            err_colours: true,
        });
        assert_eq!(out, "ab\n\u{1b}[1mend\u{1b}[0m\n");
        assert_eq!(
            err,
            "\r\u{1b}[2Kworking\r\u{1b}[2K1 s\r\u{1b}[2Kdone\n\u{1b}[1;31merror:\u{1b}[0m x\n"
        );
    }
}
