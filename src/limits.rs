//! Every cap on what one run may take, in one place, each with its reason.

mod process;

pub use process::memory;

use std::time::Duration;

/// Caps that no option changes. Those that an option can change start from these values.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one read; 128 KiB and 256 KiB were equally fast, 512 KiB 2 % and 16 MiB 12 % slower.
    pub read_buffer: usize,
    /// Bytes of one read into a new buffer ...
    pub first_reads: usize,
    /// ... up to this many bytes: a small input touches fewer pages, which take longer to come by
    /// than what is read into them.
    pub first_reads_until: u64,
    /// Bytes of one line after unwrapping; the rest of a longer line is skipped with a warning.
    pub line: usize,
    /// Bytes of a JSON record that is spread over lines; of a longer one texts are taken without
    /// knowing whose they are. What `aws logs` answers at once has a tenth of it.
    pub json_document: usize,
    /// Bytes of a log with the last line first that are held, to be turned; of a longer one the
    /// message of a crash may be read apart from its goroutines.
    pub reversed: usize,
    /// Bytes looked at to tell what an input is; content with NUL bytes in it that shows nothing
    /// known by then is given up.
    pub sniff: usize,
    /// Bytes that one run may unpack (`--max-bytes`): 16 GiB.
    pub total_bytes: u64,
    /// An archive member may unpack to this many times its packed size ...
    pub ratio: u64,
    /// ... once it has produced more than this.
    pub ratio_from: u64,
    /// Containers inside each other (an archive in an archive).
    pub containers: usize,
    /// Members of one archive.
    pub members: usize,
    /// Bytes between two members of a tar, where long names and extended headers stand.
    pub tar_names: u64,
    /// An archive from a pipe or from inside another is kept in memory up to this size, and in a
    /// temporary file beyond it.
    pub spool_memory: usize,
    /// Bytes that a zstd stream may look back, which have to be kept: what `zstd -d` allows.
    pub zstd_window: u64,
    /// Frames that the stacks of one proto have together, where a location of a few bytes may stand for
    /// thousands of inlined frames: 130,000 stacks of the 128 frames that Go records.
    pub proto_frames: usize,
    /// Frames that its stacks, and those of all its samples, may have for each of its bytes ...
    pub proto_frames_ratio: usize,
    /// ... once there are more than these. Go's own have less than one.
    pub proto_frames_from: usize,
    /// Bytes of memory that a run may need, as far as is known when inputs have been read; less where
    /// the process may have less ([`memory`]).
    pub memory: u64,
    /// Columns that a cell of a table is padded to; a longer one stands out of its column. Otherwise
    /// one cell of 64 KiB would give each of a million rows as many blanks.
    pub padding: usize,
    /// Warnings of one kind that one input keeps; more are only counted.
    pub warnings_per_input: usize,
    /// Errors of one kind that a run keeps; more are only counted ...
    pub problems_alike: usize,
    /// ... and of all kinds ...
    pub problems: usize,
    /// ... and kinds that are told apart.
    pub problem_kinds: usize,
    /// Crashes that one input keeps beside the one that ended it.
    pub crashes_per_input: usize,
    /// Compiled size of one regular expression of the user.
    pub regex_bytes: usize,
    /// Compiled size of all of them.
    pub regex_bytes_total: usize,
    /// Parentheses inside each other in one filter expression.
    pub expression_depth: usize,
    /// Bytes of a file of settings, an allow-list or a `go.mod` that is found, not named: a thousand
    /// times what they have.
    pub found_file: u64,
    /// Bytes of such a file that the user names.
    pub named_file: u64,
    /// How much longer an answer over HTTP may take, from first to last byte, than the server may be
    /// silent: a debug=2 dump of 64 MiB comes in a tenth of that over 1 MB/s.
    pub http_deadline: Duration,
    /// Redirects in a row; more are a circle.
    pub http_redirects: usize,
    /// Bytes of an answer that explains a refusal which are looked at.
    pub http_explanation: u64,
    /// Folders below the root of a repository that are looked at for a `go.mod` ...
    pub module_depth: usize,
    /// ... and entries of folders.
    pub module_entries: usize,
    /// Goroutines of one sample that wait for something and of which addresses are kept: 40 bytes
    /// each, and 8 for each address.
    pub addressed_waiters: u32,
    /// Goroutines of one sample that don't wait and of which addresses are kept. A lock has one holder,
    /// and of stacks that hundreds of goroutines are in the first ones tell as much as all.
    pub addressed_others: u32,
    /// Addresses that are kept of one goroutine.
    pub addresses: usize,
    /// Bytes of arguments that are kept of one input (`--args`).
    pub argument_bytes: usize,
    /// net/http/pprof cuts debug=2 text at exactly this length.
    pub go_dump_cut: u64,
    /// Bytes of a page of a Parquet table, unpacked; 1 MiB in those that are written here.
    pub table_page: u64,
    /// Bytes of its footer; 3 KB for each 131,072 rows of those that are written here.
    pub table_footer: u64,
    /// Its columns; ours have 19 at most ...
    pub table_columns: usize,
    /// ... and as many of them as its row groups have together, of which the `parquet` crate holds half
    /// a kilobyte each.
    pub table_chunks: usize,
    /// Bytes of memory that pages and dictionaries take which are read at once, one of each column; those
    /// that are written here have 1 MiB each.
    pub table_group: u64,
    /// Rows that it may claim for each of its bytes ...
    pub table_rows_ratio: u64,
    /// ... once there are more than these.
    pub table_rows_from: u64,
    /// Bytes of a binary; the go command has 17 MB.
    pub binary_bytes: u64,
    /// Bytes that are read of a binary at a time.
    pub binary_chunk: usize,
    /// Segments, sections and load commands of a binary that are looked at.
    pub binary_parts: usize,
    /// Places in a binary that look like a table of functions and are tried.
    pub binary_candidates: usize,
    /// Functions of a binary; the go command has 16,170.
    pub binary_functions: u32,
    /// Frames of an input that are compared with a binary to know whether it made the input.
    pub binary_evidence: usize,
    /// Bytes of a name of a function or file in a binary.
    pub binary_name: usize,
    /// Functions of one name, type arguments aside; by the name of more none is found. Each call that a
    /// text prints is compared with all of them.
    pub binary_namesakes: usize,
    /// Calls inlined into each other at one PC.
    pub inline_depth: usize,
    /// Steps through tables that one look-up may take, in all calls that were inlined at a PC.
    pub lookup_steps: usize,
    /// Bytes of build info: a module takes about 100.
    pub build_info: usize,
    /// Bytes of the list of a process' mappings; the kernel allows 65,530 mappings unless it was told
    /// otherwise, and a line has 100 bytes.
    pub live_maps: u64,
    /// Bytes of its environment.
    pub live_environment: u64,
    /// Bytes of its variables in which the list of goroutines is searched ...
    pub live_searched: u64,
    /// ... and places that look like it and are looked at more closely.
    pub live_candidates: usize,
    /// Goroutines of a process that is read.
    pub live_goroutines: u64,
    /// Bytes of a goroutine's stack that are copied, from the innermost call on: half a million frames.
    pub live_stack: usize,
    /// Bytes that are read of a process at a time, if it isn't one stack that has more.
    pub live_batch: usize,
    /// Labels of a goroutine ...
    pub live_labels: usize,
    /// ... and bytes of a key or value.
    pub live_label: usize,
    /// Bytes of labels that are kept, so that those that many goroutines share are read once.
    pub live_label_cache: usize,
    /// Words of a goroutine's stack that are told one by one (`--annotate`), from the innermost call on.
    pub live_words: usize,
    /// Cases of a `select` of which the channels are told ...
    pub live_cases: usize,
    /// ... and things that all goroutines of a process wait for.
    pub live_sudogs: usize,
    /// Bytes that all goroutines of a process may take as text: eight million of the usual size.
    pub live_text: u64,
    /// Bytes of a process that are copied while it stands still: two million goroutines of the usual
    /// size; half the memory that this process may have where that is less.
    pub live_copied: u64,
    /// Bytes of native stacks that are copied, of all threads of a process.
    pub native_copied: usize,
    /// Calls on a native stack; 64 KiB hold 4,096 at most.
    pub native_frames: usize,
    /// Bytes of a section of a program or library with symbols, lines or names of variables.
    pub debug_section: u64,
    /// Units of DWARF: Go has one for each package, C one for each file.
    pub debug_units: usize,
    /// Times that something in DWARF is looked at for one of the calls on a stack.
    pub debug_lookups: usize,
    /// Symbols of a program or library; a browser has half a million.
    pub native_symbols: usize,
    /// Segments of a core file; the kernel allows 65,530 unless it was told otherwise.
    pub core_segments: u32,
    /// Notes of a core file, of which there are five or so for each thread.
    pub core_notes: u32,
    /// Bytes of a core file's list of mapped files; the kernel writes 4 MiB at most.
    pub core_files: u64,
    /// Bytes of the arguments and the environment of a process; a quarter of its first stack at most.
    pub core_environment: usize,
}

/// The caps in force.
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
    containers: 2,
    members: 4_000_000,
    tar_names: 1 << 20,
    spool_memory: 16 << 20,
    zstd_window: 128 << 20,
    proto_frames: 1 << 24,
    proto_frames_ratio: 16,
    proto_frames_from: 1 << 20,
    memory: 64 << 30,
    padding: 500,
    warnings_per_input: 10,
    problems_alike: 1000,
    problems: 10_000,
    problem_kinds: 1000,
    crashes_per_input: 1000,
    regex_bytes: 1 << 20,
    regex_bytes_total: 16 << 20,
    expression_depth: 200,
    found_file: 1 << 20,
    named_file: 16 << 20,
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
    binary_candidates: 8,
    binary_functions: 1 << 24,
    binary_evidence: 10_000,
    binary_name: 1 << 16,
    binary_namesakes: 1000,
    inline_depth: 1000,
    lookup_steps: 1 << 22,
    build_info: 4 << 20,
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
    live_cases: 1 << 8,
    live_sudogs: 1 << 23,
    live_text: 4 << 30,
    live_copied: 4 << 30,
    native_copied: 1 << 30,
    native_frames: 1 << 16,
    debug_section: 512 << 20,
    debug_units: 1 << 18,
    debug_lookups: 1 << 22,
    native_symbols: 1 << 22,
    core_segments: 1 << 20,
    core_notes: 1 << 20,
    core_files: 16 << 20,
    core_environment: 8 << 20,
};
