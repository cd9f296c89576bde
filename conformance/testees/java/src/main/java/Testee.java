// Libraries of Java as conformance testees: Testee msgpack-core | jackson-msgpack | jackson.

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.jackson.dataformat.MessagePackFactory;
import org.msgpack.value.ImmutableValue;
import org.msgpack.value.Value;

public final class Testee {
    /** A codec under test. */
    interface Codec {
        byte[] encode(Object value) throws Exception;
        Object decode(byte[] input) throws Exception;
    }

    record Ext(byte type, byte[] data) {}

    static final ObjectMapper LINES = JsonMapper.builder(JsonFactory.builder().streamReadConstraints(
            StreamReadConstraints.builder().maxNestingDepth(100_000).maxStringLength(Integer.MAX_VALUE).build())
            .streamWriteConstraints(StreamWriteConstraints.builder().maxNestingDepth(500_000).build()).build()).build();

    public static void main(String[] args) throws Exception {
        // Values nest 512 deep, and the libraries recurse.
        Thread work = new Thread(null, () -> serve(args[0]), "testee", 256L << 20);
        work.start();
        work.join();
    }

    static void serve(String name) {
        try {
            Codec codec = switch (name) {
                case "msgpack-core" -> new Core();
                case "jackson-msgpack" -> new Jackson(new ObjectMapper(new MessagePackFactory()));
                case "jackson" -> new Jackson(JsonMapper.builder()
                        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build());
                default -> throw new IllegalArgumentException(name);
            };
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
            for (String line; (line = in.readLine()) != null; ) {
                ArrayNode answers = LINES.createArrayNode();
                for (JsonNode request : LINES.readTree(line)) answers.add(answer(name, codec, request));
                out.print(LINES.writeValueAsString(answers));
                out.print('\n');
                out.flush();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static ObjectNode answer(String name, Codec codec, JsonNode request) {
        ObjectNode answer = LINES.createObjectNode();
        try {
            switch (request.get("op").asText()) {
                case "hello" -> answer.set("ok", hello(name));
                case "encode" -> answer.put("ok", HexFormat.of().formatHex(codec.encode(read(request.get("value")))));
                case "decode" -> answer.set("ok", write(codec.decode(HexFormat.of().parseHex(request.get("input").asText()))));
                default -> answer.put("skipped", "no such op");
            }
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            answer.set("error", LINES.createObjectNode().put("message", e.toString()));
        }
        return answer;
    }

    static ObjectNode hello(String name) {
        ObjectNode hello = LINES.createObjectNode();
        Class<?> of = switch (name) {
            case "msgpack-core" -> MessagePack.class;
            case "jackson-msgpack" -> MessagePackFactory.class;
            default -> ObjectMapper.class;
        };
        String version = of.getPackage().getImplementationVersion();
        hello.put("name", name).put("version", version == null ? "" : version).put("runtime", "Java " + Runtime.version());
        hello.put("host", "java").put("strict", false).put("unordered_maps", false);
        hello.putArray("formats").add(name.equals("jackson") ? "json" : "msgpack");
        hello.putArray("ops").add("encode").add("decode");
        hello.putArray("options");
        ArrayNode lacks = hello.putArray("lacks");
        if (name.equals("jackson")) for (String kind : List.of("bin", "ext", "timestamp", "map-key")) lacks.add(kind);
        if (name.equals("msgpack-core")) lacks.add("bigint");
        if (name.equals("jackson-msgpack")) for (String kind : List.of("bigint", "ext", "timestamp", "map-key")) lacks.add(kind);
        return hello;
    }

    /** Tagged JSON to objects. */
    static Object read(JsonNode j) {
        if (j.isNull()) return null;
        if (j.isBoolean()) return j.booleanValue();
        if (j.isTextual()) return j.textValue();
        if (j.isIntegralNumber()) return j.longValue();
        if (j.isArray()) {
            List<Object> list = new ArrayList<>();
            for (JsonNode item : j) list.add(read(item));
            return list;
        }
        if (j.size() == 1 && j.fieldNames().next().startsWith("$")) {
            String tag = j.fieldNames().next();
            JsonNode inner = j.get(tag);
            switch (tag) {
                case "$int": return narrow(new BigInteger(inner.textValue()));
                case "$float": return Double.longBitsToDouble(Long.parseUnsignedLong(inner.textValue().substring(2), 16));
                case "$bin": return Base64.getDecoder().decode(inner.textValue());
                case "$time": return Instant.ofEpochSecond(((Number) read(inner.get(0))).longValue(), inner.get(1).longValue());
                case "$ext": return new Ext((byte) inner.get(0).intValue(), Base64.getDecoder().decode(inner.get(1).textValue()));
                case "$map": {
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (JsonNode pair : inner) map.put(read(pair.get(0)), read(pair.get(1)));
                    return map;
                }
                case "$obj": j = inner; break;
                default: throw new IllegalArgumentException("no tag " + tag);
            }
        }
        Map<Object, Object> map = new LinkedHashMap<>();
        for (var fields = j.fields(); fields.hasNext(); ) {
            var field = fields.next();
            map.put(field.getKey(), read(field.getValue()));
        }
        return map;
    }

    static Object narrow(BigInteger value) {
        return value.bitLength() < 64 ? (Object) value.longValue() : value;
    }

    /** Objects to tagged JSON. */
    static JsonNode write(Object value) {
        var nodes = LINES.getNodeFactory();
        if (value == null) return nodes.nullNode();
        if (value instanceof Boolean b) return nodes.booleanNode(b);
        if (value instanceof String s) {
            // Half a surrogate pair has no UTF-8; three bytes stand for it.
            for (int i = 0; i < s.length(); i++) {
                char c = s.charAt(i);
                if (Character.isHighSurrogate(c) && i + 1 < s.length() && Character.isLowSurrogate(s.charAt(i + 1))) i++;
                else if (Character.isSurrogate(c)) return tag("$str", nodes.textNode(Base64.getEncoder().encodeToString(surrogates(s))));
            }
            return nodes.textNode(s);
        }
        if (value instanceof Double || value instanceof Float) {
            return tag("$float", nodes.textNode(String.format("0x%016x", Double.doubleToRawLongBits(((Number) value).doubleValue()))));
        }
        if (value instanceof Number n) return tag("$int", nodes.textNode(n.toString()));
        if (value instanceof byte[] b) return tag("$bin", nodes.textNode(Base64.getEncoder().encodeToString(b)));
        if (value instanceof Instant t) return tag("$time", LINES.createArrayNode().add(t.getEpochSecond()).add(t.getNano()));
        if (value instanceof Ext e) return tag("$ext", LINES.createArrayNode().add(e.type()).add(Base64.getEncoder().encodeToString(e.data())));
        if (value instanceof List<?> list) {
            ArrayNode array = LINES.createArrayNode();
            for (Object item : list) array.add(write(item));
            return array;
        }
        if (value instanceof Map<?, ?> map) {
            ArrayNode pairs = LINES.createArrayNode();
            for (var e : map.entrySet()) pairs.add(LINES.createArrayNode().add(write(e.getKey())).add(write(e.getValue())));
            return tag("$map", pairs);
        }
        throw new IllegalArgumentException("no kind of the data model: " + value.getClass());
    }

    static byte[] surrogates(String s) {
        var out = new java.io.ByteArrayOutputStream();
        s.codePoints().forEach(c -> {
            if (c >= 0xd800 && c < 0xe000) {
                out.write(0xe0 | c >> 12);
                out.write(0x80 | c >> 6 & 0x3f);
                out.write(0x80 | c & 0x3f);
            } else out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        });
        return out.toByteArray();
    }

    static ObjectNode tag(String name, JsonNode inner) {
        return LINES.createObjectNode().set(name, inner);
    }

    /** msgpack-core by its packer and its values. */
    static final class Core implements Codec {
        public byte[] encode(Object value) throws Exception {
            try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
                pack(packer, value);
                return packer.toByteArray();
            }
        }

        static void pack(MessagePacker p, Object value) throws Exception {
            if (value == null) p.packNil();
            else if (value instanceof Boolean b) p.packBoolean(b);
            else if (value instanceof Long n) p.packLong(n);
            else if (value instanceof BigInteger n) p.packBigInteger(n);
            else if (value instanceof Double d) p.packDouble(d);
            else if (value instanceof String s) p.packString(s);
            else if (value instanceof byte[] b) p.packBinaryHeader(b.length).writePayload(b);
            else if (value instanceof Instant t) p.packTimestamp(t);
            else if (value instanceof Ext e) p.packExtensionTypeHeader(e.type(), e.data().length).writePayload(e.data());
            else if (value instanceof List<?> list) {
                p.packArrayHeader(list.size());
                for (Object item : list) pack(p, item);
            } else {
                Map<?, ?> map = (Map<?, ?>) value;
                p.packMapHeader(map.size());
                for (var e : map.entrySet()) {
                    pack(p, e.getKey());
                    pack(p, e.getValue());
                }
            }
        }

        public Object decode(byte[] input) throws Exception {
            try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(input)) {
                ImmutableValue value = unpacker.unpackValue();
                if (unpacker.hasNext()) throw new IllegalArgumentException("more bytes follow the value");
                return of(value);
            }
        }

        static Object of(Value value) {
            switch (value.getValueType()) {
                case NIL: return null;
                case BOOLEAN: return value.asBooleanValue().getBoolean();
                case INTEGER: return narrow(value.asIntegerValue().asBigInteger());
                case FLOAT: return value.asFloatValue().toDouble();
                case STRING: return value.asStringValue().asString();
                case BINARY: return value.asBinaryValue().asByteArray();
                case EXTENSION: {
                    if (value.isTimestampValue()) return value.asTimestampValue().toInstant();
                    var ext = value.asExtensionValue();
                    return new Ext(ext.getType(), ext.getData());
                }
                case ARRAY: {
                    List<Object> list = new ArrayList<>();
                    for (Value item : value.asArrayValue()) list.add(of(item));
                    return list;
                }
                default: {
                    // The map of values would drop what stands twice, as the library's does.
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (var e : value.asMapValue().entrySet()) map.put(of(e.getKey()), of(e.getValue()));
                    return map;
                }
            }
        }
    }

    /** Jackson by its untyped objects, over either format. */
    static final class Jackson implements Codec {
        final ObjectMapper mapper;

        Jackson(ObjectMapper mapper) {
            this.mapper = mapper;
        }

        public byte[] encode(Object value) throws Exception {
            return mapper.writeValueAsBytes(value);
        }

        public Object decode(byte[] input) throws Exception {
            Object value = mapper.readValue(input, Object.class);
            return value instanceof BigDecimal d ? d.doubleValue() : value;
        }
    }
}
