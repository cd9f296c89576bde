package main

// The types of the payloads that have one.

type Event struct {
	UID       uint64 `json:"uid" msgpack:"uid"`
	Name      string `json:"name" msgpack:"name"`
	Followers uint32 `json:"followers" msgpack:"followers"`
	Online    bool   `json:"online" msgpack:"online"`
	TS        string `json:"ts" msgpack:"ts"`
	Kind      string `json:"kind" msgpack:"kind"`
}

type Metadata struct {
	Tenant    string   `json:"tenant" msgpack:"tenant"`
	RequestID string   `json:"request_id" msgpack:"request_id"`
	Priority  uint32   `json:"priority" msgpack:"priority"`
	Tags      []string `json:"tags" msgpack:"tags"`
}

type Request struct {
	Model       string   `json:"model" msgpack:"model"`
	Prompt      string   `json:"prompt" msgpack:"prompt"`
	MaxTokens   uint32   `json:"max_tokens" msgpack:"max_tokens"`
	Temperature float64  `json:"temperature" msgpack:"temperature"`
	TopP        float64  `json:"top_p" msgpack:"top_p"`
	TopK        uint32   `json:"top_k" msgpack:"top_k"`
	Seed        *uint64  `json:"seed" msgpack:"seed"`
	Stop        []string `json:"stop" msgpack:"stop"`
	Stream      bool     `json:"stream" msgpack:"stream"`
	User        string   `json:"user" msgpack:"user"`
	Metadata    Metadata `json:"metadata" msgpack:"metadata"`
}

type User struct {
	Name  string  `json:"name" msgpack:"name"`
	Email string  `json:"email" msgpack:"email"`
	Score float64 `json:"score" msgpack:"score"`
}

type Item struct {
	ID      uint32    `json:"id" msgpack:"id"`
	User    User      `json:"user" msgpack:"user"`
	Tags    []string  `json:"tags" msgpack:"tags"`
	Values  []float64 `json:"values" msgpack:"values"`
	Active  bool      `json:"active" msgpack:"active"`
	Created string    `json:"created" msgpack:"created"`
	Note    string    `json:"note" msgpack:"note"`
}

type Nested struct {
	Items []Item  `json:"items" msgpack:"items"`
	Total uint32  `json:"total" msgpack:"total"`
	Next  *uint32 `json:"next" msgpack:"next"`
}

type Record struct {
	ID        uint64  `json:"id" msgpack:"id"`
	Price     float64 `json:"price" msgpack:"price"`
	Symbol    string  `json:"symbol" msgpack:"symbol"`
	Quantity  int32   `json:"quantity" msgpack:"quantity"`
	Weight    float64 `json:"weight" msgpack:"weight"`
	Category  string  `json:"category" msgpack:"category"`
	Flags     uint32  `json:"flags" msgpack:"flags"`
	Ratio     float64 `json:"ratio" msgpack:"ratio"`
	Owner     string  `json:"owner" msgpack:"owner"`
	CreatedAt int64   `json:"created_at" msgpack:"created_at"`
	Active    bool    `json:"active" msgpack:"active"`
	Comment   string  `json:"comment" msgpack:"comment"`
}
