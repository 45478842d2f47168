"""Bodies that are plain bytes: schemathesis sends them as they are."""

import schemathesis


@schemathesis.serializer("application/offset+octet-stream", "application/gzip", "text/csv")
def as_it_is(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()
