package dev.weir.gateway.http;

import java.io.IOException;

/** Free space of the disk that results are spooled to. */
interface FreeDisk {

    /** Bytes that this process may still write. */
    long bytes() throws IOException;
}
