package upf

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
)

// file is the YAML as it is written; every value is text until check.
type file struct {
	NodeID string `yaml:"node_id"`
	N4     struct {
		Address   string   `yaml:"address"`
		Interface string   `yaml:"interface"`
		SMFs      []string `yaml:"smfs"`
		Sets      []struct {
			ID   string   `yaml:"id"`
			SMFs []string `yaml:"smfs"`
		} `yaml:"sets"`
	} `yaml:"n4"`
	N3 struct {
		Interface string `yaml:"interface"`
		Address   string `yaml:"address"`
		Address6  string `yaml:"address6"`
	} `yaml:"n3"`
	N6 struct {
		Interface string `yaml:"interface"`
		Address   string `yaml:"address"`
		Address6  string `yaml:"address6"`
		Port      string `yaml:"port"`
	} `yaml:"n6"`
	Datapath struct {
		Kind string `yaml:"kind"`
		Mode string `yaml:"mode"`

		Calibrate string `yaml:"calibrate"`
		Device    string `yaml:"device"`
		Workers   string `yaml:"workers"`

		CPUs []string `yaml:"cpus"`
	} `yaml:"datapath"`
	Allow struct {
		Local      []string `yaml:"local"`
		Interfaces []string `yaml:"interfaces"`
		Plain      []string `yaml:"plain"`
		NestedGTP  string   `yaml:"nested_gtp"`
	} `yaml:"allow"`
	Limits struct {
		Rules        string `yaml:"rules"`
		Associations string `yaml:"associations"`
		Sessions     string `yaml:"sessions"`
		Filters      string `yaml:"filters"`
	} `yaml:"limits"`
	ECN         string           `yaml:"ecn"`
	UEPool      []string         `yaml:"ue_pool"`
	AllocateUE  []string         `yaml:"allocate_ue"`
	MaxSessions string           `yaml:"max_sessions"`
	Predefined  []predefinedFile `yaml:"predefined_rules"`
	Heartbeat   struct {
		Interval string `yaml:"interval"`
		T1       string `yaml:"t1"`
		N1       string `yaml:"n1"`
	} `yaml:"heartbeat"`
	SMF             []string `yaml:"smf"`
	GracefulRelease string   `yaml:"graceful_release"`
	Realtime        string   `yaml:"realtime"`
	Echo            struct {
		Interval string `yaml:"interval"`
		T3       string `yaml:"t3"`
		N3       string `yaml:"n3"`
	} `yaml:"echo"`
	Buffering string `yaml:"buffering"`
	LogLevel  string `yaml:"log_level"`
	LogFormat string `yaml:"log_format"`
	Socket    string `yaml:"socket"`
	State     struct {
		Directory string `yaml:"directory"`
		Fresh     string `yaml:"fresh"`
	} `yaml:"state"`
	API struct {
		Address string `yaml:"address"`
	} `yaml:"api"`
}

// LoadConfig reads a file of the form that ParseConfig takes.
func LoadConfig(path string, others ...Kind) (Config, error) {
	f, _, err := safefile.Open(path, 0) // a pipe's writer is not waited for
	if err != nil {
		return Config{}, fmt.Errorf("read UPF config: %w: give the path of a YAML file", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Config{}, fmt.Errorf("read UPF config: %w: give the path of a YAML file", err)
	}
	return ParseConfig(path, text, others...)
}

// maxConfig is the size, bytes, of a configuration.
const maxConfig = 2 * plainyaml.Small

// ParseConfig reads YAML with the keys that Config gives. Unknown keys are
// refused. The error names every bad value, where it is, and what would be
// accepted; name is that of the file in it. others are the kinds of datapaths that datapath.kind
// may name beyond the library's.
func ParseConfig(name string, text []byte, others ...Kind) (Config, error) {
	var f file
	err := plainyaml.Unmarshal(text, maxConfig, &f, yaml.Strict())
	if err != nil && !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("%s: %s", name, strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	r := &reader{}
	cfg := readConfig(r, &f, others)
	if len(r.problems) > 0 {
		return Config{}, fmt.Errorf("%s: %w", name, r.error(text))
	}
	return cfg, nil
}
