package dev.weir.gateway.http;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** What a client takes: its Accept and Accept-Encoding headers (RFC 9110, with weights and wildcards). */
final class Negotiation {

    /** The parameter of Arrow's media type that names codecs. */
    static final String CODECS = "codecs";

    private Negotiation() {}

    /**
     * The format of the answer.
     *
     * @throws HttpProblem 406 when the client takes none of ours, 400 when the header is malformed
     */
    static ResultFormat format(HttpHeaders headers) {
        List<MediaType> accepted = accepted(headers);
        if (accepted.isEmpty()) {
            return ResultFormat.JSON;
        }
        ResultFormat best = null;
        Match bestMatch = null;
        for (ResultFormat format : ResultFormat.values()) {
            Match match = match(format.mediaType(), accepted);
            if (match != null && match.weight() > 0 && (bestMatch == null || match.beats(bestMatch))) {
                best = format;
                bestMatch = match;
            }
        }
        if (best == null) {
            throw HttpProblem.notAcceptable();
        }
        return best;
    }

    private static List<MediaType> accepted(HttpHeaders headers) {
        try {
            return MediaType.parseMediaTypes(headers.getOrEmpty(HttpHeaders.ACCEPT));
        } catch (InvalidMediaTypeException e) {
            throw new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The Accept header is malformed; give one of " + ResultFormat.offered() + ".");
        }
    }

    /**
     * How the buffers of an Arrow answer are compressed: by the first codec that is known here of those that the media
     * type in the Accept header names, as in {@code codecs="lz4,zstd"}.
     *
     * @param format of the answer; any but Arrow has no such compression
     * @throws GatewayException INVALID_REQUEST when codecs are named and none is known
     */
    static BufferCompression buffers(HttpHeaders headers, ResultFormat format) {
        if (format != ResultFormat.ARROW) {
            return BufferCompression.NONE;
        }
        String named = accepted(headers).stream()
                .filter(range -> range.equalsTypeAndSubtype(format.mediaType()) && range.getQualityValue() > 0)
                .map(range ->
                        range.getParameter(CODECS) == null ? range.getParameter("codec") : range.getParameter(CODECS))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(BufferCompression.NONE.toString());
        return Stream.of(named.replace("\"", "").split(",", -1))
                .flatMap(name -> BufferCompression.of(name.strip()).stream())
                .findFirst()
                .orElseThrow(() -> new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "The parameter " + CODECS + " of the Accept header must name " + BufferCompression.NAMES
                                + "."));
    }

    /** How well an offer is taken: by weight, then by how closely it was named, then by its place in the header. */
    private record Match(double weight, int closeness, int place) {
        boolean beats(Match other) {
            if (weight != other.weight) {
                return weight > other.weight;
            }
            if (closeness != other.closeness) {
                return closeness > other.closeness;
            }
            // Among formats named equally closely by different entries the client's order decides.
            return place < other.place;
        }
    }

    private static @Nullable Match match(MediaType offer, List<MediaType> accepted) {
        Match best = null;
        for (int place = 0; place < accepted.size(); place++) {
            MediaType range = accepted.get(place);
            if (!range.includes(new MediaType(offer.getType(), offer.getSubtype()))) {
                continue;
            }
            int closeness = range.isWildcardType() ? 0 : range.isWildcardSubtype() ? 1 : 2;
            // The closest range gives the weight, whatever the others say.
            if (best == null || closeness > best.closeness()) {
                best = new Match(range.getQualityValue(), closeness, place);
            }
        }
        return best;
    }

    /** The coding of the answer's body; identity when nothing better is taken. */
    static ContentCoding coding(HttpHeaders headers) {
        List<String> values = headers.get(HttpHeaders.ACCEPT_ENCODING);
        if (values == null) {
            return ContentCoding.IDENTITY;
        }
        double zstd = -1;
        double gzip = -1;
        double rest = -1;
        for (String value : values) {
            for (String entry : value.split(",", -1)) {
                String name = entry.split(";", 2)[0].strip();
                double weight = weight(entry);
                if (name.equalsIgnoreCase("zstd")) {
                    zstd = weight;
                } else if (name.equalsIgnoreCase("gzip") || name.equalsIgnoreCase("x-gzip")) {
                    gzip = weight;
                } else if (name.equals("*")) {
                    rest = weight;
                }
            }
        }
        // A bare "*" names nothing that the client is known to decode but gzip, which everybody does.
        if (gzip < 0) {
            gzip = rest;
        }
        if (zstd <= 0 && gzip <= 0) {
            return ContentCoding.IDENTITY;
        }
        return zstd >= gzip ? ContentCoding.ZSTD : ContentCoding.GZIP;
    }

    private static double weight(String entry) {
        int at = entry.indexOf(';');
        if (at < 0) {
            return 1;
        }
        for (String parameter : entry.substring(at + 1).split(";", -1)) {
            String[] pair = parameter.split("=", 2);
            if (pair.length == 2 && pair[0].strip().equalsIgnoreCase("q")) {
                try {
                    return Double.parseDouble(pair[1].strip());
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
