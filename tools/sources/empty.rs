// cargo wants a crate to have a source file.
