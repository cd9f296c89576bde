package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// Ext is an extension of any type, for the codecs that have them.
type Ext struct {
	Type int8
	Data []byte
}

func read(j any) any {
	switch v := j.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
		panic("a float is sent by its bits: " + string(v))
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = read(x)
		}
		return out
	case map[string]any:
		if len(v) == 1 {
			for key, inner := range v {
				if len(key) > 0 && key[0] == '$' {
					return tag(key, inner)
				}
			}
		}
		return object(v)
	}
	return j
}

func object(v map[string]any) any {
	out := make(map[string]any, len(v))
	for k, x := range v {
		out[k] = read(x)
	}
	return out
}

func tag(key string, inner any) any {
	switch key {
	case "$int":
		if n, err := strconv.ParseInt(inner.(string), 10, 64); err == nil {
			return n
		}
		n, err := strconv.ParseUint(inner.(string), 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	case "$float":
		bits, err := strconv.ParseUint(inner.(string)[2:], 16, 64)
		if err != nil {
			panic(err)
		}
		return math.Float64frombits(bits)
	case "$bin":
		return bytesOf(inner)
	case "$time":
		pair := inner.([]any)
		return time.Unix(read(pair[0]).(int64), read(pair[1]).(int64)).UTC()
	case "$ext":
		pair := inner.([]any)
		return Ext{int8(read(pair[0]).(int64)), bytesOf(pair[1])}
	case "$obj":
		return object(inner.(map[string]any))
	}
	panic("no tag " + key)
}

func bytesOf(text any) []byte {
	data, err := base64.StdEncoding.DecodeString(text.(string))
	if err != nil {
		panic(err)
	}
	return data
}

func write(v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		if !utf8.ValidString(v) {
			return map[string]any{"$str": base64.StdEncoding.EncodeToString([]byte(v))}
		}
		return v
	case float64:
		return map[string]any{"$float": fmt.Sprintf("0x%016x", math.Float64bits(v))}
	case float32:
		return write(float64(v))
	case []byte:
		return map[string]any{"$bin": base64.StdEncoding.EncodeToString(v)}
	case time.Time:
		return map[string]any{"$time": []any{v.Unix(), v.Nanosecond()}}
	case Ext:
		return map[string]any{"$ext": []any{v.Type, base64.StdEncoding.EncodeToString(v.Data)}}
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return write(n)
		}
		if n, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return write(n)
		}
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			panic(err)
		}
		return write(f)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"$int": strconv.FormatInt(r.Int(), 10)}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"$int": strconv.FormatUint(r.Uint(), 10)}
	case reflect.Slice:
		out := []any{}
		for i := range r.Len() {
			out = append(out, write(r.Index(i).Interface()))
		}
		return out
	case reflect.Map:
		pairs := []any{}
		for _, k := range r.MapKeys() {
			pairs = append(pairs, []any{write(k.Interface()), write(r.MapIndex(k).Interface())})
		}
		return map[string]any{"$map": pairs}
	}
	panic(fmt.Sprintf("no kind of the data model: %T", v))
}
