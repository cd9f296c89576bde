//! How lines look: plain text, a terminal's colours, or a page.

use core::fmt::{Result, Write};

use super::{Kind, Line};

/// Bytes in a row.
const ROW: usize = 8;
/// Rows of bytes that a token gets.
const ROWS: usize = 2;
/// Columns of the meaning, after which the path stands.
const MEANING: usize = 44;

/// What the dump is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text without any escapes.
    Plain,
    /// Text with a terminal's colours.
    Ansi,
    /// A page of its own.
    Html,
}

/// What stands before the first line.
///
/// # Errors
/// `out`'s.
pub fn write_header(style: Style, len: usize, out: &mut dyn Write) -> Result {
    match style {
        Style::Html => write!(out, "{HEAD}<p>{len} bytes</p>\n<table>\n<tr><th>offset<th>bytes<th>meaning<th>path\n"),
        Style::Plain => writeln!(out, "  offset  {:<24}  {:<MEANING$}  path", "bytes", "meaning"),
        Style::Ansi => writeln!(out, "\x1b[2m  offset  {:<24}  {:<MEANING$}  path\x1b[0m", "bytes", "meaning"),
    }
}

/// What stands after the last line.
///
/// # Errors
/// `out`'s.
pub fn write_footer(style: Style, out: &mut dyn Write) -> Result {
    if style == Style::Html { out.write_str("</table>\n</html>\n") } else { Ok(()) }
}

/// One token, with its bytes from `input`, which begins at `base` in what the reader of the dump knows.
///
/// # Errors
/// `out`'s.
pub fn write_line(style: Style, input: &[u8], base: u64, line: &Line, out: &mut dyn Write) -> Result {
    let bytes = input.get(line.offset..line.offset + line.len).unwrap_or_default();
    if style == Style::Html {
        return write_html(bytes, base, line, out);
    }
    let (dim, colour, reset) = match style {
        Style::Ansi => ("\x1b[2m", ansi(line.kind), "\x1b[0m"),
        _ => ("", "", ""),
    };
    let mark = if line.kind == Kind::Fault { ">" } else { " " };
    let rows = bytes.chunks(ROW).take(ROWS);
    write!(out, "{colour}{mark}{reset}{dim}{:>7}{reset}  ", base + line.offset as u64)?;
    write_hex(bytes.chunks(ROW).next().unwrap_or_default(), ROW, out)?;
    let indent = 2 * line.depth.min(16);
    write!(out, "  {:indent$}{colour}{}{reset}", "", line.meaning)?;
    if !line.path.is_empty() {
        let used = indent + line.meaning.chars().count();
        write!(out, "{:pad$}  {dim}{}{reset}", "", line.path, pad = MEANING.saturating_sub(used))?;
    }
    out.write_char('\n')?;
    for (i, row) in rows.enumerate().skip(1) {
        write!(out, " {dim}{:>7}{reset}  ", base + (line.offset + i * ROW) as u64)?;
        let more = bytes.len().saturating_sub(ROW * ROWS);
        write_hex(row, 0, out)?;
        if more > 0 {
            write!(out, " {dim}… {more} more{reset}")?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

/// Bytes in hex, padded to `width` bytes.
fn write_hex(bytes: &[u8], width: usize, out: &mut dyn Write) -> Result {
    for (i, b) in bytes.iter().enumerate() {
        write!(out, "{}{b:02x}", if i > 0 { " " } else { "" })?;
    }
    let missing = (width * 3).saturating_sub(if bytes.is_empty() { 0 } else { bytes.len() * 3 - 1 });
    write!(out, "{:missing$}", "")
}

fn ansi(kind: Kind) -> &'static str {
    match kind {
        Kind::Container => "\x1b[1m",
        Kind::Key => "\x1b[34m",
        Kind::Text => "\x1b[32m",
        Kind::Number => "\x1b[36m",
        Kind::Constant => "\x1b[35m",
        Kind::Binary => "\x1b[33m",
        Kind::Fault => "\x1b[1;31m",
        Kind::Note => "\x1b[2m",
    }
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Container => "container",
        Kind::Key => "key",
        Kind::Text => "text",
        Kind::Number => "number",
        Kind::Constant => "constant",
        Kind::Binary => "binary",
        Kind::Fault => "fault",
        Kind::Note => "note",
    }
}

fn write_html(bytes: &[u8], base: u64, line: &Line, out: &mut dyn Write) -> Result {
    write!(out, "<tr class={}><td>{}<td><code>", class(line.kind), base + line.offset as u64)?;
    write_hex(&bytes[..bytes.len().min(ROW * ROWS)], 0, out)?;
    let more = bytes.len().saturating_sub(ROW * ROWS);
    if more > 0 {
        write!(out, " … {more} more")?;
    }
    write!(out, "</code><td style=\"padding-left:{}em\">", line.depth.min(16))?;
    escape(&line.meaning, out)?;
    out.write_str("<td>")?;
    escape(&line.path, out)?;
    out.write_char('\n')
}

fn escape(text: &str, out: &mut dyn Write) -> Result {
    for c in text.chars() {
        match c {
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '&' => out.write_str("&amp;")?,
            '"' => out.write_str("&quot;")?,
            c => out.write_char(c)?,
        }
    }
    Ok(())
}

const HEAD: &str = r#"<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>samewire inspect</title>
<style>
:root { color-scheme: light dark; --dim: #777; --key: #06c; --text: #070; --number: #077; --other: #858; --binary: #960; --bad: #c00; }
@media (prefers-color-scheme: dark) { :root { --dim: #999; --key: #6af; --text: #7d7; --number: #5cc; --other: #d9d; --binary: #db6; --bad: #f66; } }
body { font: 14px/1.5 ui-monospace, monospace; margin: 1em; }
table { border-collapse: collapse; }
td, th { padding: 0 1.2em 0 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
td:first-child, td:nth-child(4), th, .note { color: var(--dim); }
td:first-child { text-align: right; }
code { font: inherit; }
.container td:nth-child(3) { font-weight: bold; } .key td:nth-child(3) { color: var(--key); } .text td:nth-child(3) { color: var(--text); }
.number td:nth-child(3) { color: var(--number); } .constant td:nth-child(3) { color: var(--other); } .binary td:nth-child(3) { color: var(--binary); }
.fault td { color: var(--bad); font-weight: bold; }
</style>
"#;
