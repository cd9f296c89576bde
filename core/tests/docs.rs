//! The handbook names every option and every error code.

use samewire::{Code, options};

fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn every_error_code_is_in_the_handbook() {
    let text = page("errors.md");
    for code in Code::ALL {
        assert!(text.contains(&format!("| `{code}` |")), "{code}");
        assert_eq!(code.as_str().parse(), Ok(*code));
    }
}

#[test]
fn every_option_is_in_the_handbook() {
    let text = page("options.md");
    for name in options::NAMES {
        assert!(text.contains(&format!("| `{name}` |")), "{name}");
    }
}
