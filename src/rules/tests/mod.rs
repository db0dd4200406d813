//! Rules against what others made of them.

mod facts;
