//go:build goexperiment.jsonv2

package main

import "encoding/json/v2"

func init() {
	codecs["jsonv2"] = func() codec {
		return plainJSON("", func(v any) ([]byte, error) { return json.Marshal(v) }, func(b []byte, v any) error { return json.Unmarshal(b, v) })
	}
}
