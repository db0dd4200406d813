//! Every cap on the resources of a run, in one place, each with its reason.

mod process;

pub use process::{keep_to_memory, memory};

use std::time::Duration;

/// Caps that no option changes, and the defaults of those that an option can change.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one read; 128 KiB and 256 KiB were equally fast, 512 KiB 2 % and 16 MiB 12 % slower.
    pub read_buffer: usize,
    /// Bytes of one read into a new buffer, up to `first_reads_until`.
    pub first_reads: usize,
    /// How many bytes are read in small reads: a small input then touches fewer pages, which cost more than
    /// reading the bytes.
    pub first_reads_until: u64,
    /// Bytes of one line after unwrapping; the rest of a longer line is skipped with a warning.
    pub line: usize,
    /// Bytes of a JSON record, or a row of CSV, that is spread over lines. In a longer one, texts are read without knowing
    /// which record they belong to. The answers of `aws logs` have a tenth of it at most.
    pub json_document: usize,
    /// Bytes of a log in reverse order that are kept to turn it around; in a longer one the message of a
    /// crash may be separated from its goroutines.
    pub reversed: usize,
    /// Bytes that are read to find out what an input is; content with NUL bytes and no known format by then
    /// is given up.
    pub sniff: usize,
    /// Bytes that one run may unpack (`--max-bytes`): 16 GiB.
    pub total_bytes: u64,
    /// An archive member may unpack to this many times its packed size, once it has more than `ratio_from`.
    pub ratio: u64,
    /// Bytes that an archive member may unpack to whatever its packed size.
    pub ratio_from: u64,
    /// Bytes that all members of an archive may unpack to whatever its packed size; beyond them `ratio` counts for the
    /// archive as it does for each member. Dumps of goroutines pack 20 to 100 times.
    pub archive_ratio_from: u64,
    /// Containers within each other (an archive in an archive).
    pub containers: usize,
    /// Members of one archive.
    pub members: usize,
    /// Members of a zip that aren't read and whose own headers are looked at for the name of a dump, which takes
    /// a tenth of a second for all of them.
    pub own_names: usize,
    /// Bytes between two members of a tar, which has long names and extended headers there.
    pub tar_names: u64,
    /// Zeros behind the members of a tar that are looked through for more of them.
    pub tar_zeros: u64,
    /// Bytes of paths that are kept and looked up to follow the links of a tar: 4 million of them can have 4 KiB, and
    /// each lead through 40.
    pub tar_links: usize,
    /// Bytes of the path of a member of an archive, which ends with `…` then: each profile in it, and each
    /// error, has a copy. Linux opens no longer path.
    pub path: usize,
    /// An archive from a pipe or from inside another is kept in memory up to this size, and in a temporary
    /// file if it is larger.
    pub spool_memory: usize,
    /// Bytes of the name and of the comment in the head of a gzip stream, which may come without end.
    pub gzip_name: u64,
    /// Bytes that a zstd stream may refer back to, which have to be kept: the default of `zstd -d`.
    pub zstd_window: u64,
    /// Bytes of an entry of a proto, such as a sample, and of the texts of its labels; those of Go have some hundreds.
    pub proto_entry: usize,
    /// Entries that a proto may have of which each has less than 4 bytes on average.
    pub proto_entries: usize,
    /// Frames of all stacks of one proto together, where a location of a few bytes can stand for thousands
    /// of inlined frames, or for one with a long name: 130,000 stacks of the 128 frames that Go records.
    pub proto_frames: usize,
    /// Frames that the stacks of a proto, and those of all its samples, may have per byte of it, once there
    /// are more than `proto_frames_from`. Go's own have less than one.
    pub proto_frames_ratio: usize,
    /// Frames that any proto may have.
    pub proto_frames_from: usize,
    /// Bytes of memory that a run may need, estimated once inputs are read, and that it may have
    /// ([`keep_to_memory`]); less if the process is limited to less, or the machine has less ([`memory`]).
    pub memory: u64,
    /// Columns that a cell of a table is padded to; a longer one isn't aligned. Otherwise one cell of 64
    /// KiB would add as many blanks to each of a million rows.
    pub padding: usize,
    /// Cells of a table that has a column for each input or point: rows times columns. 67 million take seconds.
    pub cells: usize,
    /// Nodes of the tree of calls of `--call-tree` and flame graphs: 33 bytes each. A few bytes of a proto can stand for
    /// a stack of a thousand.
    pub tree_nodes: usize,
    /// Frames that labels add to all samples (`--tagroot`, `--tagleaf`), one for each key and sample: 4 million take 50 MB,
    /// and as many nodes of a tree.
    pub tag_frames: usize,
    /// Warnings of one kind that one input keeps; more are only counted.
    pub warnings_per_input: usize,
    /// Notes on values of one option that match nothing; more are only counted.
    pub notes_alike: usize,
    /// Errors of one kind that a run keeps; more are only counted.
    pub problems_alike: usize,
    /// Errors of all kinds that a run keeps.
    pub problems: usize,
    /// Kinds of errors that are counted separately.
    pub problem_kinds: usize,
    /// Crashes of one input that are kept in addition to the one that ended it.
    pub crashes_per_input: usize,
    /// Compiled size of one regular expression of the user.
    pub regex_bytes: usize,
    /// Compiled size of all of them.
    pub regex_bytes_total: usize,
    /// Different `drop_frames` of the protos of a run. Each kind of profile has its own; to compile one can take
    /// 12 ms, and each costs a look at all samples.
    pub drop_frames: usize,
    /// Different sample types of the profiles of a run. Go's own profiles have ten; several outputs have a profile
    /// or a column for each, with a value for each sample.
    pub sample_types: usize,
    /// Sample types times samples of the profiles of a run, if there are more types than `sample_values_from`: a page
    /// has 45 bytes for each, and a packed byte of a proto can be 200 of them.
    pub sample_values: usize,
    /// Sample types that any number of samples may have. Go's own profiles have ten.
    pub sample_values_from: usize,
    /// Bytes of a text of a proto or a table; no more is read. A few bytes of a sample can repeat one, so results would
    /// grow with the square of the proto.
    pub text: usize,
    /// Bytes of the name of a stack, a category or an input, which ends with `…` then: each rule can double what the
    /// one before it made, and thousands of stacks can be named after one function.
    pub name: usize,
    /// Bytes of the values of all keys (`--by`) in the rows of a table: a million rows of 256. Texts that rows share, as
    /// the name of an input or a package, stand in each of them.
    pub key_texts: usize,
    /// Bytes of the names and categories of all stacks, ...
    pub names_from: usize,
    /// ... or so many for each stack if that is more. Those of the default rules have 40 in real dumps.
    pub names_average: usize,
    /// Nested parentheses in one filter expression, and nested braces in a glob.
    pub expression_depth: usize,
    /// Bytes of a settings file, an allow-list or a `go.mod` that is found, not named: a thousand times
    /// their usual size.
    pub found_file: u64,
    /// Bytes of a settings file, an allow-list or certificates that the user names: 4 MiB of `a = [1,1,...` take 400 MB
    /// when they are parsed, 100,000 entries of an allow-list 270.
    pub named_file: u64,
    /// Elements of the path of a source that may lie below `--source-root`: each end of a path is a place to look at.
    pub source_depth: usize,
    /// Bytes of a file of source that `--list` reads: files that programs write have some megabytes.
    pub source_file: u64,
    /// Bytes of memory for the files of source that `--list` reads; those of Go itself have 60 MiB.
    pub sources: usize,
    /// Entries of a list in settings, such as rules, allow-lists or patterns of own code, and patterns of all allow-lists
    /// that can't be looked up: a pull request may change settings, and each is compared with each stack.
    pub listed_entries: usize,
    /// Bytes of all allow-lists and baselines that settings name: 25,000 entries for each MiB, which need 60 MiB of memory.
    pub listed_bytes: u64,
    /// How much longer an answer over HTTP may take, from first to last byte, than the server may be
    /// silent: a debug=2 dump of 64 MiB takes a tenth of that at 1 MB/s.
    pub http_deadline: Duration,
    /// Redirects in a row; more are a loop.
    pub http_redirects: usize,
    /// Bytes that are read of an answer that explains a refusal.
    pub http_explanation: u64,
    /// Levels of folders below the root of a repository that are searched for a `go.mod`.
    pub module_depth: usize,
    /// Entries of folders in that search.
    pub module_entries: usize,
    /// Goroutines of one sample that wait for something and whose addresses are kept: 40 bytes each, and 8
    /// for each address.
    pub addressed_waiters: u32,
    /// Goroutines of one sample that don't wait and whose addresses are kept. A lock has one holder, and if
    /// hundreds of goroutines have one stack, the first ones are representative.
    pub addressed_others: u32,
    /// Addresses that are kept of one goroutine.
    pub addresses: usize,
    /// Bytes of arguments that are kept of one input (`--args`).
    pub argument_bytes: usize,
    /// The exact length at which net/http/pprof cuts debug=2 text.
    pub go_dump_cut: u64,
    /// Unpacked bytes of one page of a Parquet table; those that are written here have 1 MiB.
    pub table_page: u64,
    /// Bytes of a table's footer; those that are written here have 3 KB for each 131,072 rows.
    pub table_footer: u64,
    /// Columns of a table; those that are written here have 19 at most.
    pub table_columns: usize,
    /// Columns of a table times its row groups: the `parquet` crate needs half a kilobyte for each.
    pub table_chunks: usize,
    /// Bytes of the pages and dictionaries that are in memory together, one of each column; those that are
    /// written here have 1 MiB each.
    pub table_group: u64,
    /// Rows per byte that a table may claim to have, once there are more than `table_rows_from`.
    pub table_rows_ratio: u64,
    /// Rows that any table may claim to have.
    pub table_rows_from: u64,
    /// Bytes of a binary; the go command has 17 MB.
    pub binary_bytes: u64,
    /// Bytes that are read of a binary at a time.
    pub binary_chunk: usize,
    /// Segments, sections and load commands of a binary that are read.
    pub binary_parts: usize,
    /// Segments of a binary that have bytes in the file, and sections and segments with notes: each is searched more
    /// than once. Programs of Go and of C have 20 at most. And its sections of DWARF, which are kept.
    pub binary_segments: usize,
    /// Matches in a binary that are tried as a table of functions.
    pub binary_candidates: usize,
    /// Functions of a binary; the go command has 16,170.
    pub binary_functions: u32,
    /// Frames of an input that are compared with a binary to find out whether it made the input.
    pub binary_evidence: usize,
    /// Bytes of the name of a function or file in a binary.
    pub binary_name: usize,
    /// Bytes of the different names of functions and files of binaries that are compared: 58,000 functions have 8 MB. They can
    /// lie over each other, so a byte of the file can be a part of thousands of them.
    pub binary_names: usize,
    /// Functions with one name, type arguments aside; if there are more, none is found by that name. Each
    /// call that a text prints is compared with all of them.
    pub binary_namesakes: usize,
    /// Nested inlined calls at one PC.
    pub inline_depth: usize,
    /// Bytes of the names and files of these calls.
    pub inline_names: usize,
    /// Frames that all stacks of a run may have with the inlined calls of their binaries, ...
    pub inlined_from: usize,
    /// ... or so many for each of their locations if that is more. Those of Go's own programs have less than two.
    pub inlined_average: usize,
    /// Steps through tables, and bytes of names, in all look-ups of one binary together: seconds of work.
    /// Each of them may take millions in a hostile one.
    pub lookup_steps: u64,
    /// Bytes of build info: a module takes about 100.
    pub build_info: usize,
    /// Modules of all binaries of a run: each takes 700 bytes.
    pub binary_modules: usize,
    /// Bytes of the list of a process' mappings: by default the kernel allows 65,530 mappings, and a line
    /// has 100 bytes.
    pub live_maps: u64,
    /// Bytes of a process' environment.
    pub live_environment: u64,
    /// Bytes of a process' variables that are searched for the list of goroutines.
    pub live_searched: u64,
    /// Matches in that search that are checked.
    pub live_candidates: usize,
    /// Goroutines of one process.
    pub live_goroutines: u64,
    /// Bytes of a goroutine's stack that are copied, from the innermost call on: half a million frames.
    pub live_stack: usize,
    /// Bytes of a process that are read at a time, unless a single stack has more.
    pub live_batch: usize,
    /// Labels of a goroutine.
    pub live_labels: usize,
    /// Bytes of a label's key or value.
    pub live_label: usize,
    /// Bytes of labels that are kept, so labels shared by many goroutines are read once.
    pub live_label_cache: usize,
    /// Words of a goroutine's stack that are described (`--annotate`), from the innermost call on.
    pub live_words: usize,
    /// Bytes of names that all of them show; a name counts for each word and frame that it stands in.
    pub live_word_names: usize,
    /// Cases of a `select` whose channels are read.
    pub live_cases: usize,
    /// Channels, locks and the like that all goroutines of a process wait for.
    pub live_sudogs: usize,
    /// Bytes of text for all goroutines of a process: eight million of the usual size.
    pub live_text: u64,
    /// How many times larger than a core file the text of its goroutines may be, if it has more bytes than
    /// `core_text_from`. A stack takes about as many bytes as its text; but labels and names can be shared.
    pub core_text_ratio: u64,
    /// Bytes of text from which on the ratio counts.
    pub core_text_from: u64,
    /// Bytes that are copied while a process is stopped: two million goroutines of the usual size; at most
    /// half the memory that this process may use.
    pub live_copied: u64,
    /// Bytes of native stacks that are copied, of all threads of a process together.
    pub native_copied: usize,
    /// Calls on a native stack; 64 KiB have 4,096 at most.
    pub native_frames: usize,
    /// Calls on the native stacks of all threads, inlined ones, too, and one more for each 128 bytes of a name and its
    /// file: 5,000 threads of 100 calls. A call can stand for `inline_depth` inlined ones.
    pub native_calls: usize,
    /// Instructions of unwind tables that are run for the native stacks of all threads: a second of work.
    pub unwind_steps: usize,
    /// Bytes of one section with symbols, lines or names of variables.
    pub debug_section: u64,
    /// Bytes of all these sections for each byte of their file, if they have more than `debug_from`. Those of
    /// Go and of C have 2 at most, 4 in files with nothing else; packed, a byte can stand for 1,032.
    pub debug_ratio: u64,
    /// Bytes that these sections may have in any file.
    pub debug_from: u64,
    /// Bytes of all these sections of a file, which may be a hole.
    pub debug_total: u64,
    /// Attributes of one kind of DWARF entry; compilers write 20 at most.
    pub debug_attributes: usize,
    /// Units of DWARF: Go has one for each package, C one for each file.
    pub debug_units: usize,
    /// DWARF entries and ranges that are read for the calls on one stack.
    pub debug_lookups: usize,
    /// Symbols of one program or library; a browser has half a million.
    pub native_symbols: usize,
    /// Segments of a core file: by default the kernel allows 65,530.
    pub core_segments: u32,
    /// Notes of a core file; there are about five for each thread.
    pub core_notes: u32,
    /// Bytes of a core file's list of mapped files; the kernel writes 4 MiB at most.
    pub core_files: u64,
    /// Bytes of the arguments and the environment of a process: a quarter of its first stack at most.
    pub core_environment: usize,
}

impl Limits {
    /// Fails if the braces of a glob are too deep inside each other: its compiler calls itself for each level.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_braces(&self, glob: &str) -> Result<(), String> {
        let mut depth = 0_usize;
        let most = self.expression_depth;
        let is_allowed = glob.bytes().all(|byte| {
            match byte {
                b'{' => depth = depth.saturating_add(1),
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth <= most
        });
        let what = || format!("braces are nested more than {most} deep (expression_depth)");
        if is_allowed { Ok(()) } else { Err(what()) }
    }
}

/// The values of all caps.
pub const LIMITS: Limits = Limits {
    read_buffer: 256 << 10,
    first_reads: 64 << 10,
    first_reads_until: 16 << 20,
    line: 1 << 20,
    json_document: 16 << 20,
    reversed: 16 << 20,
    sniff: 1 << 20,
    total_bytes: 16 << 30,
    ratio: 200,
    ratio_from: 64 << 20,
    archive_ratio_from: 1 << 30,
    containers: 2,
    members: 4_000_000,
    own_names: 1 << 16,
    tar_names: 1 << 20,
    tar_zeros: 1 << 30,
    tar_links: 128 << 20,
    path: 4 << 10,
    spool_memory: 16 << 20,
    gzip_name: 64 << 10,
    zstd_window: 128 << 20,
    proto_entry: 1 << 20,
    proto_entries: 1 << 20,
    proto_frames: 1 << 24,
    proto_frames_ratio: 16,
    proto_frames_from: 1 << 20,
    memory: 64 << 30,
    padding: 500,
    cells: 1 << 26,
    tree_nodes: 1 << 22,
    tag_frames: 1 << 22,
    warnings_per_input: 10,
    notes_alike: 10,
    problems_alike: 1000,
    problems: 10_000,
    problem_kinds: 1000,
    crashes_per_input: 1000,
    regex_bytes: 1 << 20,
    regex_bytes_total: 16 << 20,
    drop_frames: 100,
    sample_types: 1000,
    sample_values: 1 << 22,
    sample_values_from: 32,
    text: 8 << 10,
    name: 4 << 10,
    key_texts: 256 << 20,
    names_from: 64 << 20,
    names_average: 512,
    expression_depth: 200,
    found_file: 1 << 20,
    named_file: 4 << 20,
    source_file: 16 << 20,
    source_depth: 64,
    sources: 256 << 20,
    listed_entries: 1000,
    listed_bytes: 4 << 20,
    http_deadline: Duration::from_secs(600),
    http_redirects: 5,
    http_explanation: 1 << 10,
    module_depth: 2,
    module_entries: 2000,
    addressed_waiters: 1 << 16,
    addressed_others: 4,
    addresses: 32,
    argument_bytes: 256 << 20,
    go_dump_cut: 67_108_864,
    table_page: 64 << 20,
    table_footer: 4 << 20,
    table_columns: 1000,
    table_chunks: 1 << 17,
    table_group: 192 << 20,
    table_rows_ratio: 64,
    table_rows_from: 1 << 20,
    binary_bytes: 4 << 30,
    binary_chunk: 64 << 10,
    binary_parts: 1 << 16,
    binary_segments: 1 << 8,
    binary_candidates: 8,
    binary_functions: 1 << 24,
    binary_evidence: 10_000,
    binary_name: 8 << 10,
    binary_names: 64 << 20,
    binary_namesakes: 1000,
    inline_depth: 1000,
    inline_names: 1 << 20,
    inlined_from: 1 << 20,
    inlined_average: 16,
    lookup_steps: 1 << 30,
    build_info: 4 << 20,
    binary_modules: 1 << 16,
    live_maps: 64 << 20,
    live_environment: 8 << 20,
    live_searched: 8 << 30,
    live_candidates: 1 << 16,
    live_goroutines: 1 << 24,
    live_stack: 64 << 20,
    live_batch: 1 << 20,
    live_labels: 1 << 8,
    live_label: 1 << 12,
    live_label_cache: 16 << 20,
    live_words: 1 << 16,
    live_word_names: 64 << 20,
    live_cases: 1 << 8,
    live_sudogs: 1 << 23,
    live_text: 4 << 30,
    core_text_ratio: 16,
    core_text_from: 64 << 20,
    live_copied: 4 << 30,
    native_copied: 1 << 30,
    native_frames: 1 << 16,
    native_calls: 1 << 19,
    unwind_steps: 1 << 28,
    debug_section: 512 << 20,
    debug_ratio: 8,
    debug_from: 1 << 20,
    debug_total: 1 << 30,
    debug_attributes: 1 << 8,
    debug_units: 1 << 18,
    debug_lookups: 1 << 22,
    native_symbols: 1 << 22,
    core_segments: 1 << 20,
    core_notes: 1 << 20,
    core_files: 16 << 20,
    core_environment: 8 << 20,
};
