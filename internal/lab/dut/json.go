package dut

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
)

// JSON reads counters from a REST interface that answers with JSON: each number in it is one.
type JSON struct {
	URL    string
	Path   string // begins the counters' names
	Client *http.Client
}

// JSONAt is what a UPF answers at an address in its namespace.
func JSONAt(t site.Site, at netip.AddrPort, path string) *JSON {
	return &JSON{URL: fmt.Sprintf("http://%s%s", at, path), Path: path, Client: t.UPF().HTTPClient(2 * time.Second)}
}

// Read gives the counters.
func (j *JSON) Read() ([]Counter, error) {
	answer, err := get(j.Client, j.URL)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var all any
	if err := json.NewDecoder(answer).Decode(&all); err != nil {
		return nil, fmt.Errorf("understand the UPF's counters from %s: %w", j.URL, err)
	}
	return numbersIn(j.Path, all), nil
}

// numbersIn are those in a value of JSON, with the way to each as its name.
func numbersIn(name string, value any) (list []Counter) {
	switch v := value.(type) {
	case float64:
		return []Counter{{Name: name, Value: v}}
	case map[string]any:
		for key, x := range v {
			list = append(list, numbersIn(name+"."+key, x)...)
		}
	}
	return list
}

// Together reads counters from several places. What can be read is read; the error is of the others.
func Together(reads ...func() ([]Counter, error)) func() ([]Counter, error) {
	return func() (all []Counter, err error) {
		for _, read := range reads {
			list, failed := read()
			if failed != nil {
				err = failed
			}
			all = slices.Concat(all, list)
		}
		return all, err
	}
}
