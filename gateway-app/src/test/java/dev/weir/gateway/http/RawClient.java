package dev.weir.gateway.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An HTTP client on a bare socket, to stop reading, hang up and see how an answer really ends. */
final class RawClient implements Closeable {

    /** How the server ended a connection. */
    enum End {
        CLOSED,
        RESET
    }

    final Socket socket;

    RawClient(int port) throws IOException {
        socket = new Socket();
        // Small buffers, so that a reader that does not read is felt soon.
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(new java.net.InetSocketAddress("127.0.0.1", port), 5000);
        socket.setSoTimeout(60_000);
    }

    RawClient post(String accept, String sql, String... headers) throws IOException {
        StringBuilder head = new StringBuilder("POST /v1/queries HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nAccept: "
                + accept + "\r\nContent-Length: " + sql.length() + "\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        send(head + "\r\n" + sql);
        return this;
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Reads until the head of the answer has come. */
    String head() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("ended in the head: " + head);
            }
            head.write(b);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads all that comes. */
    End readTo(ByteArrayOutputStream all) throws IOException {
        byte[] buffer = new byte[64 << 10];
        try {
            InputStream in = socket.getInputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                all.write(buffer, 0, n);
            }
            return End.CLOSED;
        } catch (java.net.SocketException e) {
            return End.RESET;
        }
    }

    /** Hangs up with a reset, as a killed client's system does. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
