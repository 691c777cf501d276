package dev.weir.gateway.query;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Query ids: UUID version 7, so that they sort by time in logs and stay unique across replicas. They are names, not
 * secrets: who may see a query is checked for each call.
 */
final class QueryIds {

    private QueryIds() {}

    static String next(long epochMillis) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (epochMillis << 16) | 0x7000 | random.nextInt(0x1000);
        long low = (random.nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new java.util.UUID(high, low).toString();
    }
}
