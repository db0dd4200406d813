//! Folders of tables.

use crate::error::Error;
use crate::profile::{Input, ProfileBuilder};
use crate::source::TableFolder;

/// Reads a folder of tables; `like` is the input that its inputs are copies of, with their own
/// data.
#[cfg(feature = "parquet")]
pub(super) fn read(
    folder: &TableFolder<'_>,
    like: &Input,
    builder: &mut ProfileBuilder,
) -> Result<(), Error> {
    use crate::format::tables::{self, SharedFile};
    use std::io;
    use std::sync::Arc;

    let open = |table: &str| match folder.open(table) {
        Ok(extent) => Ok(Arc::new(extent) as SharedFile),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("is missing; write the tables again".to_owned())
        }
        Err(error) => Err(error.to_string()),
    };
    tables::read(&open, &|bytes| folder.unpack(bytes), like, builder)
}

/// Refuses the folder in a build without the feature.
#[cfg(not(feature = "parquet"))]
pub(super) fn read(_: &TableFolder<'_>, like: &Input, _: &mut ProfileBuilder) -> Result<(), Error> {
    let what = "is a folder of Parquet tables, which this build can't read";
    Err(Error::new(crate::error::ErrorKind::Usage, &like.path, what)
        .advise("build it with --features parquet"))
}
