//! Files that an agent hands over, on disk.
//!
//! Comes in: a folder of the user's, the bytes of a file and the name that the agent gives it. Goes
//! out: a new file in that folder, and never anywhere else; nothing that is there is written over.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::content::extension;
use crate::exit::Failure;
use crate::text;

/// How much one command saves at most: an agent must not fill a disk.
const MOST_BYTES: usize = 1 << 30;
/// How many files at most.
const MOST_FILES: usize = 1000;
/// How long a name is at most, in bytes.
const LONGEST_NAME: usize = 120;

/// Saves files to a folder.
#[derive(Debug)]
pub(super) struct Saver {
    folder: PathBuf,
    bytes: usize,
    files: usize,
}

impl Saver {
    /// Saves to a folder, which is made if it is not there.
    pub(super) fn new(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::tool(format!("--save {}: {error}", folder.display())))?;
        Ok(Self {
            folder: folder.to_owned(),
            bytes: 0,
            files: 0,
        })
    }

    /// Saves a file under a name like the one that it has; returns where it is.
    pub(super) fn save(
        &mut self,
        name: &str,
        media_type: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, Failure> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        self.files += 1;
        if self.bytes > MOST_BYTES || self.files > MOST_FILES {
            return Err(Failure::tool(format!(
                "the agent hands over more than {} MiB or {MOST_FILES} files; the rest is not saved",
                MOST_BYTES >> 20
            )));
        }
        let name = clean(name, media_type);
        let (path, mut file) = self.open(&name)?;
        file.write_all(bytes)
            .map_err(|error| Failure::tool(format!("{}: {error}", path.display())))?;
        Ok(path)
    }

    /// A file that was not there: `report.pdf`, or `report-2.pdf`.
    fn open(&self, name: &str) -> Result<(PathBuf, File), Failure> {
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name, String::new()),
        };
        for number in 1..=MOST_FILES {
            let path = self.folder.join(match number {
                1 => name.to_owned(),
                _ => format!("{stem}-{number}{extension}"),
            });
            // `create_new` follows no link that somebody has put there.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Failure::tool(format!("{}: {error}", path.display())));
                }
            }
        }
        Err(Failure::tool(format!(
            "{} has {MOST_FILES} files named like {name} already",
            self.folder.display()
        )))
    }
}

/// A name without any path, without what a shell or a file manager would take for something else.
fn clean(name: &str, media_type: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .map(|letter| match letter {
            letter if letter.is_alphanumeric() => letter,
            '.' | '-' | '_' | ' ' | '(' | ')' | '+' | ',' | '=' | '@' => letter,
            _ => '_',
        })
        .collect();
    let (kept, _) = text::cut(&kept, LONGEST_NAME);
    // Neither hidden, nor a flag of the next command, nor `..`.
    let kept = kept
        .trim_start_matches(['.', '-', ' '])
        .trim_end_matches(['.', ' ']);
    if kept.is_empty() {
        return format!("file.{}", extension(media_type));
    }
    let stem = kept.split('.').next().unwrap_or_default();
    if is_device(stem) {
        return format!("file-{kept}");
    }
    kept.to_owned()
}

/// Names that are devices on Windows, whatever their extension.
fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|digit: char| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_everything_that_is_no_name() {
        for (name, kept) in [
            ("report.pdf", "report.pdf"),
            ("../../x", "x"),
            ("..\\..\\x", "x"),
            ("/etc/passwd", "passwd"),
            ("..", "file.txt"),
            ("", "file.txt"),
            ("...hidden", "hidden"),
            ("-rf", "rf"),
            ("a\u{1b}[2Jb\n.txt", "a__2Jb_.txt"),
            ("报告.pdf", "报告.pdf"),
            ("C:evil", "C_evil"),
            ("nul.txt", "file-nul.txt"),
            ("trailing. . ", "trailing"),
        ] {
            assert_eq!(clean(name, "text/plain"), kept, "{name:?}");
        }
        assert!(clean(&"ä".repeat(1000), "").len() <= LONGEST_NAME);
    }

    #[test]
    fn nothing_is_written_over_or_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        let inside = folder.path().join("in");
        let mut saver = Saver::new(&inside).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, inside.join("x")).unwrap();
        #[cfg(not(unix))]
        std::fs::write(inside.join("x"), "").unwrap();
        let path = saver.save("../x", "", b"1").unwrap();
        assert_eq!(path, inside.join("x-2"));
        assert_eq!(saver.save("x.a", "", b"2").unwrap(), inside.join("x.a"));
        assert_eq!(saver.save("x.a", "", b"3").unwrap(), inside.join("x-2.a"));
        assert_eq!(std::fs::read(inside.join("x.a")).unwrap(), b"2");
        assert!(!outside.exists());
    }

    #[test]
    fn a_command_saves_so_much_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut saver = Saver::new(folder.path()).unwrap();
        saver.bytes = MOST_BYTES;
        assert!(saver.save("x", "", b"1").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
