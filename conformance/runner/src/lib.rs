//! The runner of the conformance suite: every vector through every testee, and the exchange between them.
//!
//! It contains no MessagePack and no JSON codec under test; it compares what the testees say. The
//! protocol is described in docs/conformance-protocol.md.

mod case;
mod exchange;
mod expected;
mod fuzz;
mod judge;
mod options;
mod report;
mod run;
mod schema;
mod testee;
mod value;

use options::{Action, Arguments};

/// Runs with the arguments that follow the program's name, which `--help` lists, and returns the exit code: 0 if
/// nothing failed, 1 if something did, 2 if it could not run.
pub fn run_with(arguments: impl IntoIterator<Item = String>) -> u8 {
    let arguments: Vec<String> = arguments.into_iter().collect();
    // Values nest 512 deep and are compared by recursion.
    let work = std::thread::Builder::new().stack_size(256 << 20);
    let work = work.spawn(|| start(arguments.into_iter())).expect("a thread can be started");
    match work.join() {
        Ok(Ok(true)) => 0,
        Ok(Ok(false)) => 1,
        Ok(Err(why)) => {
            eprintln!("conformance: {why}");
            2
        }
        Err(_) => 3,
    }
}

fn start(arguments: impl Iterator<Item = String>) -> Result<bool, String> {
    let arguments = Arguments::read(arguments)?;
    match arguments.action {
        Action::Help => {
            print!("{}", options::HELP);
            Ok(true)
        }
        Action::Run => vectors(&arguments),
        Action::Fuzz => fuzz::run(&arguments),
    }
}

fn vectors(arguments: &Arguments) -> Result<bool, String> {
    let cases = case::load(&arguments.vectors)?;
    let specs = arguments.specs()?;
    let config = &arguments.config;
    println!("{} cases, {} testees", cases.len(), specs.len());
    let outcomes = run::run(&specs, &cases, config, &|outcome| report::progress(outcome));
    let exchange = if arguments.exchange { Some(exchange::run(&specs, &outcomes, &cases, config)?) } else { None };
    report::print(&outcomes, exchange.as_ref());
    if let Some(folder) = &arguments.report {
        report::write(folder, &cases, &outcomes, exchange.as_ref())?;
    }
    let mut total = run::Count::default();
    let mut failed = 0;
    for outcome in &outcomes {
        total.add(outcome.total());
        failed += outcome.failed();
    }
    let absent = outcomes.iter().filter(|o| o.missing.is_some()).count();
    if let Some(exchange) = &exchange {
        total.passed += exchange.passed;
        total.explained += exchange.explained;
        failed += exchange.failed();
    }
    if total.explained > 0 {
        println!(
            "{} of the skipped are differences of peers, explained in {}",
            total.explained,
            config.expected.display()
        );
    }
    println!("{} passed, {} failed, {} skipped", total.passed, failed, total.skipped + total.explained + absent);
    Ok(failed == 0)
}
