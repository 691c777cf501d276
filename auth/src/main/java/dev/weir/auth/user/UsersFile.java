package dev.weir.auth.user;

import dev.weir.auth.Role;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/**
 * The text form of the users file:
 *
 * <pre>
 * users:
 *   - name: ann
 *     hash: "$argon2id$v=19$m=19456,t=2,p=1$..."
 *     role: reader            # reader, writer or admin
 *     groups: [analysts]      # may be left out
 * </pre>
 *
 * <p>Strict: whatever is not known is an error. Anchors, aliases and tags are refused, so that the text means what it
 * shows. Errors never repeat the content: the path may have been mistaken for that of another file.
 */
final class UsersFile {

    static final int MAX_BYTES = 1 << 20;

    private static final int MAX_GROUPS = 32;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}");
    private static final String NAME_RULE =
            "must be 1 to 64 ASCII letters, digits or . _ - @, and start with a letter, digit or _";
    private static final Pattern SHOWN_KEY = Pattern.compile("[A-Za-z0-9_.-]{1,32}");
    private static final Set<String> KEYS = Set.of("name", "hash", "role", "groups");
    private static final String HEADER = """
            # Users of the gateway. Written by "weir user add|passwd|remove"; may be edited, but comments are not kept.
            # A change takes effect within seconds, without a restart.
            """;

    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                    .disable(YAMLWriteFeature.SPLIT_LINES)
                    .enable(YAMLWriteFeature.INDENT_ARRAYS_WITH_INDICATOR)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    private UsersFile() {}

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    static void requireName(String what, String text) {
        if (!isName(text)) {
            throw new UsersFileException("the " + what + " " + NAME_RULE);
        }
    }

    static void requireGroups(List<String> groups) {
        groups.forEach(group -> requireName("group name", group));
        if (groups.size() > MAX_GROUPS || Set.copyOf(groups).size() != groups.size()) {
            throw new UsersFileException("a user may have up to " + MAX_GROUPS + " groups, each once");
        }
    }

    /** Reads the users by name, in the file's order. */
    static Map<String, StoredUser> parse(byte[] content) {
        String text = decode(content);
        JsonNode root = tree(text);
        if (!root.isObject()) {
            throw new UsersFileException("must be a mapping with the key 'users'");
        }
        for (String key : root.propertyNames()) {
            if (!key.equals("users")) {
                throw new UsersFileException("unknown key " + shown(key) + "; only 'users' may stand here");
            }
        }
        JsonNode list = root.path("users");
        if (!list.isArray()) {
            throw new UsersFileException("'users' must be a list");
        }
        Map<String, StoredUser> users = new LinkedHashMap<>();
        for (JsonNode node : list) {
            StoredUser user = user(node, users.size() + 1);
            if (users.putIfAbsent(user.name(), user) != null) {
                throw new UsersFileException("user '" + user.name() + "' appears twice");
            }
        }
        return users;
    }

    static byte[] render(Collection<StoredUser> users) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (StoredUser user : users) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("name", user.name());
            fields.put("hash", user.hash());
            fields.put("role", user.identity().role().name().toLowerCase(Locale.ROOT));
            fields.put("groups", user.identity().groups());
            list.add(fields);
        }
        byte[] content = (HEADER + YAML.writeValueAsString(Map.of("users", list))).getBytes(StandardCharsets.UTF_8);
        if (content.length > MAX_BYTES) {
            throw new UsersFileException("the users file may not grow beyond " + MAX_BYTES + " bytes");
        }
        return content;
    }

    private static String decode(byte[] content) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new UsersFileException("is not UTF-8 text");
        }
    }

    private static JsonNode tree(String text) {
        try {
            refuseReferences(text);
            return YAML.readTree(text);
        } catch (JacksonException e) {
            // Its message quotes the source: only the place is passed on.
            throw new UsersFileException("is not valid YAML, or has a key twice" + place(e.getLocation()));
        }
    }

    private static void refuseReferences(String text) {
        try (JsonParser parser = YAML.createParser(text)) {
            while (parser.nextToken() != null) {
                boolean alias = parser instanceof YAMLParser yaml && yaml.isCurrentAlias();
                if (alias || parser.getObjectId() != null || parser.getTypeId() != null) {
                    throw new UsersFileException(
                            "must not use anchors, aliases or tags" + place(parser.currentTokenLocation()));
                }
            }
        }
    }

    private static String place(@Nullable TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1 ? "" : " (line " + location.getLineNr() + ")";
    }

    private static StoredUser user(JsonNode node, int position) {
        if (!node.isObject()) {
            throw new UsersFileException("user " + position + " must be a mapping with name, hash and role");
        }
        String name = text(node, "name", "user " + position);
        if (!isName(name)) {
            throw new UsersFileException("user " + position + ": 'name' " + NAME_RULE);
        }
        String who = "user '" + name + "'";
        for (String key : node.propertyNames()) {
            if (!KEYS.contains(key)) {
                throw new UsersFileException(who + ": unknown key " + shown(key));
            }
        }
        String hash = text(node, "hash", who);
        String problem = Argon2Hasher.problem(hash);
        if (problem != null) {
            throw new UsersFileException(who + ": 'hash' " + problem);
        }
        return new StoredUser(name, hash, role(text(node, "role", who), who), groups(node.get("groups"), who));
    }

    private static Role role(String text, String who) {
        return switch (text) {
            case "reader" -> Role.READER;
            case "writer" -> Role.WRITER;
            case "admin" -> Role.ADMIN;
            default -> throw new UsersFileException(who + ": 'role' must be reader, writer or admin");
        };
    }

    private static List<String> groups(@Nullable JsonNode node, String who) {
        if (node == null) {
            return List.of();
        }
        if (!node.isArray()) {
            throw new UsersFileException(who + ": 'groups' must be a list");
        }
        List<String> groups = new ArrayList<>();
        for (JsonNode element : node) {
            if (!element.isString() || !isName(element.stringValue())) {
                throw new UsersFileException(who + ": each of 'groups' " + NAME_RULE);
            }
            groups.add(element.stringValue());
        }
        if (groups.size() > MAX_GROUPS || Set.copyOf(groups).size() != groups.size()) {
            throw new UsersFileException(who + ": 'groups' may have up to " + MAX_GROUPS + " names, each once");
        }
        return groups;
    }

    private static String text(JsonNode node, String key, String who) {
        JsonNode value = node.get(key);
        if (value == null) {
            throw new UsersFileException(who + ": '" + key + "' is missing");
        }
        if (!value.isString()) {
            throw new UsersFileException(who + ": '" + key + "' must be text; put it in quotes");
        }
        return value.stringValue();
    }

    private static String shown(String key) {
        return SHOWN_KEY.matcher(key).matches() ? "'" + key + "'" : "(not a plain word)";
    }
}
