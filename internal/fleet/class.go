package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Class is what jobs ask of a testbed. Jobs that ask for the same are queued together.
type Class struct {
	// Version of upflab that measures; figures of different ones are not mixed. "": any.
	Version string `json:"version,omitempty"`
	// DUTs that have to be there, NAME or NAME@VERSION.
	DUTs []string `json:"duts,omitempty"`
	// Testbeds are the ones that may take the job; none: any.
	Testbeds []string `json:"testbeds,omitempty"`
	// Uses are what the testbed's owner has to allow.
	Uses []Use `json:"uses,omitempty"`
}

// ID is short, the same for all that ask for the same, and fits in a subject.
func (c Class) ID() string {
	c.DUTs, c.Testbeds = slices.Sorted(slices.Values(c.DUTs)), slices.Sorted(slices.Values(c.Testbeds))
	b, _ := json.Marshal(c) // strings only
	sum := sha256.Sum256(b)
	return "c" + hex.EncodeToString(sum[:6])
}

// Missing says what keeps a testbed from taking jobs of this class; "": nothing.
func (c Class) Missing(t Testbed) string {
	if len(c.Testbeds) > 0 && !slices.Contains(c.Testbeds, t.Name) {
		return "the campaign names other testbeds"
	}
	if c.Version != "" && c.Version != t.Version {
		return fmt.Sprintf("its upflab is %s, the campaign's %s", t.Version, c.Version)
	}
	for _, d := range c.DUTs {
		if !t.Has(d) {
			return "it has no " + d
		}
	}
	if err := t.Allows.Allows(c.Uses); err != nil {
		return err.Error()
	}
	return ""
}

// Testbed is what an agent says of the testbed it serves.
type Testbed struct {
	Name     string `json:"name"`
	Agent    string `json:"agent"`
	Host     string `json:"host"`
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of upflab
	// DUTs are those that are installed.
	DUTs   []Installed `json:"duts,omitempty"`
	CPUs   int         `json:"cpus,omitempty"`
	Allows Policy      `json:"allows,omitempty"` // what jobs may use
	Kernel string      `json:"kernel,omitempty"`
}

// Installed is a UPF on a host.
type Installed struct {
	Name    string `json:"name"`              // as `upflab dut list` has it
	Version string `json:"version,omitempty"` // as the agent was told, or as the UPF says
	// Program is where it is, for one of several versions.
	Program string `json:"program,omitempty"`
}

// Has reports whether a UPF, NAME or NAME@VERSION, is installed.
func (t Testbed) Has(dut string) bool {
	_, ok := t.Find(dut)
	return ok
}

// Find gives the UPF that NAME or NAME@VERSION stands for.
func (t Testbed) Find(dut string) (Installed, bool) {
	name, version, _ := strings.Cut(dut, "@")
	for _, d := range t.DUTs {
		if d.Name == name && (version == "" && d.Program == "" || version != "" && d.Version == version) {
			return d, true
		}
	}
	return Installed{}, false
}
