//! Rules compared with the results of other programs.

mod facts;
