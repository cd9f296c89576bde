// Command benches times the codecs of Go on the same payloads, for the reader's reference: samewire has no Go package, and
// nothing here counts as its peer. It writes the cells that benches/show.py prints.
//
//	go run . [-quick] [-out FILE]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/bytedance/sonic"
	jsoniter "github.com/json-iterator/go"
	"github.com/vmihailenco/msgpack/v5"
)

type contestant struct {
	name string
	call func(i int) error
}

type cell struct {
	ID      string               `json:"id"`
	Op      string               `json:"op"`
	Payload string               `json:"payload"`
	Runtime string               `json:"runtime"`
	Key     bool                 `json:"key"`
	Ours    string               `json:"ours"`
	Bytes   int                  `json:"bytes"`
	Rounds  map[string][]float64 `json:"rounds"`
	Failed  map[string]string    `json:"failed"`
}

var (
	quick = flag.Bool("quick", false, "fewer and shorter rounds")
	out   = flag.String("out", "", "write the cells here")
	cells []cell
)

func texts(name string) [][]byte {
	for _, folder := range []string{".", "large"} {
		body, err := os.ReadFile(filepath.Join("..", "payloads", folder, name+".json"))
		if err == nil {
			lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
			lines = lines[1 : len(lines)-1]
			for i := range lines {
				lines[i] = bytes.TrimSuffix(lines[i], []byte(","))
			}
			return lines
		}
	}
	panic("no payload " + name)
}

func race(op, payload string, size, count int, all []contestant, failed map[string]string) {
	rounds, budget := 31, 3*time.Millisecond
	if *quick {
		rounds, budget = 7, time.Millisecond
	}
	sample := func(c contestant, passes int) float64 {
		start := time.Now()
		for range passes {
			for i := range count {
				if err := c.call(i); err != nil {
					panic(err)
				}
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(passes*count)
	}
	passes := make([]int, len(all))
	for i, c := range all {
		sample(c, 1)
		each := min(sample(c, 1), sample(c, 1), sample(c, 1))
		passes[i] = max(1, int(float64(budget.Nanoseconds())/(each*float64(count))))
	}
	result := map[string][]float64{}
	for range rounds {
		for _, i := range rand.Perm(len(all)) {
			result[all[i].name] = append(result[all[i].name], sample(all[i], passes[i]))
		}
	}
	version := "Go " + strings.Join(strings.SplitN(strings.TrimPrefix(runtime.Version(), "go"), ".", 3)[:2], ".")
	cells = append(cells, cell{fmt.Sprintf("%s/%s/%s", version, op, payload), op, payload, version, false, "samewire", size, result, failed})
}

type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

func run[T any](payload string) {
	js := texts(payload)
	values := make([]T, len(js))
	mp := make([][]byte, len(js))
	for i := range js {
		if err := json.Unmarshal(js[i], &values[i]); err != nil {
			panic(err)
		}
		mp[i], _ = msgpack.Marshal(&values[i])
	}
	iter := jsoniter.ConfigCompatibleWithStandardLibrary
	formats := []struct {
		name   string
		data   [][]byte
		codecs []codec
	}{
		{"json", js, []codec{{"encoding/json", json.Marshal, json.Unmarshal}, {"jsoniter", iter.Marshal, iter.Unmarshal}, {"sonic", sonic.Marshal, sonic.Unmarshal}}},
		{"msgpack", mp, []codec{{"vmihailenco/msgpack", msgpack.Marshal, msgpack.Unmarshal}}},
	}
	for _, f := range formats {
		var decoders, encoders []contestant
		failed := map[string]string{}
		for _, c := range f.codecs {
			ok := true
			for i := range values {
				var back, again T
				err := c.unmarshal(f.data[i], &back)
				if err == nil && !reflect.DeepEqual(back, values[i]) {
					err = fmt.Errorf("wrong output for instance %d", i)
				}
				if b, e := c.marshal(&values[i]); err == nil {
					err = e
					if e == nil {
						err = f.codecs[0].unmarshal(b, &again)
					}
					if err == nil && !reflect.DeepEqual(again, values[i]) {
						err = fmt.Errorf("wrong bytes for instance %d", i)
					}
				}
				if err != nil {
					failed[c.name], ok = err.Error(), false
					break
				}
			}
			if ok {
				decoders = append(decoders, contestant{c.name, func(i int) error { var v T; return c.unmarshal(f.data[i], &v) }})
				encoders = append(encoders, contestant{c.name, func(i int) error { _, err := c.marshal(&values[i]); return err }})
			}
		}
		race(f.name+" decode", payload, len(f.data[0]), len(values), decoders, failed)
		race(f.name+" encode", payload, len(f.data[0]), len(values), encoders, map[string]string{})
	}
}

func main() {
	flag.Parse()
	run[Event]("event")
	run[Request]("request")
	run[Nested]("nested")
	run[[]Record]("records")
	run[[]float64]("floats")
	body, err := json.Marshal(cells)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, body, 0o644)
	} else if err == nil {
		fmt.Println(string(body))
	}
	if err != nil {
		panic(err)
	}
}
