package dev.weir.auth.user;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Argon2id at the least cost; counts its checks and can hold them back. */
final class CountingHasher implements PasswordHasher {

    private final Argon2Hasher cheap = new Argon2Hasher(8, 1);
    private final AtomicInteger checks = new AtomicInteger();
    private final AtomicInteger entered = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    int checks() {
        return checks.get();
    }

    int entered() {
        return entered.get();
    }

    void holdBack() {
        gate = new CountDownLatch(1);
    }

    void letGo() {
        gate.countDown();
    }

    @Override
    public String hash(String password) {
        return cheap.hash(password);
    }

    @Override
    public boolean matches(String password, String hash) {
        entered.incrementAndGet();
        try {
            if (!gate.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let the check go");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        checks.incrementAndGet();
        return cheap.matches(password, hash);
    }
}
