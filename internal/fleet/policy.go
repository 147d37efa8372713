package fleet

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Use is something of a testbed's host that a job uses, beyond UPFs that are installed there
// and what a run makes and removes. The agent's policy has to allow it.
type Use struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// String is the use as a policy allows it.
func (u Use) String() string { return u.Key + "=" + u.Value }

// DeviceUse is that of a network interface.
func DeviceUse(name string) Use { return Use{useDevice, name} }

// The keys of uses. Those of values in a scenario follow from the kinds of its keys.
const (
	useImage      = "image"      // a container image
	usePull       = "pull"       // to download an image
	usePrivileged = "privileged" // to run an image as root with all of the host's devices
	useProgram    = "program"    // a program in an image, by its path
	useDevice     = "device"     // a network interface of the host
	useSSH        = "ssh"        // a host to log in to
	useReach      = "reach"      // a server elsewhere: TRex, a node-exporter, the N4 of a UPF
	useProcess    = "process"    // a process or a network namespace of the host
	useFile       = "file"       // a file of the host
)

// useKeys are what a policy can allow.
var useKeys = []string{useImage, usePull, usePrivileged, useProgram, useDevice, useSSH, useReach, useProcess, useFile}

// useOf maps kinds of scenario keys to the uses that their values are. What is missing here stays
// within what a run makes: a test has the list of those keys, and fails with a key that is in neither.
var useOf = map[string]string{
	"image": useImage, "path": useProgram, "interface": useDevice, "host": useSSH, "url": useReach,
	"endpoint": useReach, "process": useProcess, "pid": useProcess, "file": useFile,
}

// Policy is what the owner of a testbed allows jobs to use: KEY=VALUE, KEY=BEGINNING*, or KEY
// alone for all values. What is not in it is refused.
type Policy []string

// ReadPolicy reads what is allowed from a file, one a line; "#" begins a remark.
func ReadPolicy(path string) (p Policy, err error) {
	data, err := safefile.Read(path, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("read what jobs may use: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			p = append(p, line)
		}
	}
	return p, nil
}

// Check refuses keys that there are not.
func (p Policy) Check() error {
	for _, rule := range p {
		if key, _, _ := strings.Cut(rule, "="); !slices.Contains(useKeys, key) {
			return fmt.Errorf("--allow %s: nothing is called %q; there are: %s", rule, key, strings.Join(useKeys, ", "))
		}
	}
	return nil
}

// NotAllowedError is a use that a testbed's owner does not allow.
type NotAllowedError struct{ Use Use }

// Error names what would allow it.
func (e NotAllowedError) Error() string {
	return fmt.Sprintf("the testbed does not allow %s %s; its owner allows it by `upflab agent --allow %s`", e.Use.Key, e.Use.Value, e.Use)
}

// Allows refuses the first use that nothing in the policy allows.
func (p Policy) Allows(uses []Use) error {
	for _, u := range uses {
		if !slices.ContainsFunc(p, u.matches) {
			return NotAllowedError{u}
		}
	}
	return nil
}

func (u Use) matches(rule string) bool {
	key, value, some := strings.Cut(rule, "=")
	if key != u.Key {
		return false
	}
	if start, open := strings.CutSuffix(value, "*"); open {
		return strings.HasPrefix(u.Value, start) && !climbs(u.Value[len(start):])
	}
	return !some || value == u.Value
}

// climbs reports whether a path leads upwards: "/app/*" does not allow "/app/../bin/sh".
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

// Uses are what the job uses of its host.
func (j Job) Uses() ([]Use, error) {
	s, err := scenario.OpenText([]byte(j.Scenario), "the job's scenario", nil, false)
	if err != nil {
		return nil, fmt.Errorf("read what the job uses: %w", err)
	}
	return UsesOf(s, j.DUTs), nil
}

// UsesOf is what a run of DUTs, NAME[:MODE][@VERSION], uses of its host.
func UsesOf(s *scenario.Scenario, duts []string) []Use {
	var list []Use
	add := func(u Use) {
		if !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	eachValue(reflect.ValueOf(*s), "", func(kind, value string) {
		if key := useOf[kind]; key != "" && value != "" {
			add(Use{key, value})
		}
	})
	if s.PCAP != "" {
		add(Use{useFile, s.PCAP})
	}
	for _, d := range duts {
		name, mode, _ := strings.Cut(d, ":")
		switch name, _ = SplitVersion(name); name {
		case "external":
			_, n4 := s.N4Ends()
			add(Use{useReach, n4.String()})
		case "container":
			image := "published"
			if s.Container != nil && s.Container.Image != "" {
				image = s.Container.Image
			}
			mode, _ = SplitVersion(mode)
			add(Use{useImage, image})
			add(Use{usePrivileged, mode})
			if s.Container != nil && s.Container.Pull {
				add(Use{usePull, image})
			}
		}
	}
	return list
}

// eachValue gives all values in a scenario that are set, as texts, with the kinds of their keys.
func eachValue(v reflect.Value, kind string, do func(kind, value string)) {
	switch {
	case v.IsZero():
	case v.Kind() == reflect.Pointer:
		eachValue(v.Elem(), kind, do)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			eachValue(v.Index(i), kind, do)
		}
	case isSection(v.Type()):
		for i := range v.NumField() {
			eachValue(v.Field(i), v.Type().Field(i).Tag.Get("kind"), do)
		}
	default:
		do(kind, fmt.Sprint(v.Interface()))
	}
}

// isSection reports whether a type of a scenario has keys: other structs are values.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Tag.Get("yaml") != ""
}
