package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/bytedance/sonic"
	jsoniter "github.com/json-iterator/go"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
)

func plainJSON(module string, encode func(any) ([]byte, error), decode func([]byte, any) error) codec {
	return codec{"json", module, jsonLacks, encode, func(b []byte) (any, error) {
		var v any
		err := decode(b, &v)
		return v, err
	}}
}

// With numbers kept as text, as Go's users do who need integers beyond 2^53.
func exactNumbers(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("data after the value")
	}
	return nil
}

func init() {
	codecs["json"] = func() codec { return plainJSON("", json.Marshal, exactNumbers) }
	codecs["jsoniter"] = func() codec {
		api := jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, UseNumber: true}.Froze()
		return plainJSON("github.com/json-iterator/go", api.Marshal, api.Unmarshal)
	}
	codecs["sonic"] = func() codec {
		api := sonic.Config{UseNumber: true}.Froze()
		return plainJSON("github.com/bytedance/sonic", api.Marshal, api.Unmarshal)
	}
	codecs["vmihailenco"] = func() codec {
		return codec{"msgpack", "github.com/vmihailenco/msgpack/v5", []string{"bigint", "ext", "map-key"},
			func(v any) ([]byte, error) {
				var out bytes.Buffer
				e := msgpack.NewEncoder(&out)
				e.UseCompactInts(true)
				err := e.Encode(v)
				return out.Bytes(), err
			},
			func(b []byte) (any, error) {
				var v any
				// A decoder of its own, since Unmarshal ignores what follows the value.
				d := msgpack.NewDecoder(bytes.NewReader(b))
				if err := d.Decode(&v); err != nil {
					return nil, err
				}
				if _, err := d.PeekCode(); err != io.EOF {
					return nil, fmt.Errorf("data after the value")
				}
				return v, nil
			}}
	}
	codecs["msgp"] = func() codec {
		return codec{"msgpack", "github.com/tinylib/msgp", []string{"bigint", "map-key"},
			func(v any) ([]byte, error) { return msgp.AppendIntf(nil, forMsgp(v)) },
			func(b []byte) (any, error) {
				v, rest, err := msgp.ReadIntfBytes(b)
				if err == nil && len(rest) > 0 {
					err = fmt.Errorf("data after the value")
				}
				return fromMsgp(v), err
			}}
	}
}

func forMsgp(v any) any {
	switch v := v.(type) {
	case Ext:
		return &msgp.RawExtension{Type: v.Type, Data: v.Data}
	case []any:
		for i := range v {
			v[i] = forMsgp(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = forMsgp(v[k])
		}
	case time.Time:
		return v
	}
	return v
}

func fromMsgp(v any) any {
	switch v := v.(type) {
	case *msgp.RawExtension:
		return Ext{v.Type, v.Data}
	case []any:
		for i := range v {
			v[i] = fromMsgp(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = fromMsgp(v[k])
		}
	}
	return v
}
