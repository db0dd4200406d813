//! Tests against the large corpus (STACKGAZER_CORPUS): real dumps of nine versions of Go and of a
//! database server, hard cases, hostile inputs, and the answers of other tools.

mod agreement;
mod ancestry;
mod cases;
mod check;
mod counts;
mod diff;
mod facts;
mod names;
mod oracle;
mod pprof;
mod shapes;
mod whole;
