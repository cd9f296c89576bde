// Other libraries of Go as conformance testees: go-peers json | jsonv2 | jsoniter | sonic | vmihailenco | msgp.
// jsonv2 is there when it was built with GOEXPERIMENT=jsonv2.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// A codec under test.
type codec struct {
	format, module string
	lacks          []string
	encode         func(any) ([]byte, error)
	decode         func([]byte) (any, error)
}

var jsonLacks = []string{"bigint", "bin", "ext", "timestamp", "map-key"}
var codecs = map[string]func() codec{}

type request struct {
	Op     string `json:"op"`
	Format string `json:"format"`
	Value  any    `json:"value"`
	Input  string `json:"input"`
}

func main() {
	make, ok := codecs[os.Args[1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "this build has no", os.Args[1])
		os.Exit(77)
	}
	c := make()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var requests []request
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&requests); err != nil {
			panic(err)
		}
		answers := []any{}
		for _, r := range requests {
			answers = append(answers, answer(c, r))
		}
		text, err := json.Marshal(answers)
		if err != nil {
			panic(err)
		}
		out.Write(append(text, '\n'))
		out.Flush()
	}
}

func answer(c codec, r request) (result any) {
	defer func() {
		// A library's panic is an answer too.
		if p := recover(); p != nil {
			result = map[string]any{"error": map[string]any{"message": fmt.Sprint("panic: ", p)}}
		}
	}()
	failed := func(err error) any { return map[string]any{"error": map[string]any{"message": err.Error()}} }
	switch r.Op {
	case "hello":
		return map[string]any{"ok": map[string]any{
			"name": os.Args[1], "version": version(c.module), "runtime": runtime.Version(), "host": "go", "formats": []string{c.format},
			"ops": []string{"encode", "decode"}, "options": []string{}, "lacks": c.lacks, "strict": false, "unordered_maps": true,
		}}
	case "encode":
		out, err := c.encode(read(r.Value))
		if err != nil {
			return failed(err)
		}
		return map[string]any{"ok": hex.EncodeToString(out)}
	case "decode":
		input, err := hex.DecodeString(r.Input)
		if err != nil {
			panic(err)
		}
		value, err := c.decode(input)
		if err != nil {
			return failed(err)
		}
		return map[string]any{"ok": write(value)}
	}
	return map[string]any{"skipped": "no op " + r.Op}
}

func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == module {
				return d.Version
			}
		}
	}
	return ""
}
