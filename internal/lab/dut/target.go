package dut

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/spelling"
)

// Target is a UPF as a user asks for it: its driver, its mode, and how it is run.
type Target struct {
	Driver Driver
	// Mode follows the name in labels and results. With a Way it begins with the driver's
	// name: "eupf:native" of container:eupf:native.
	Mode string
	// Why says why it is in this mode, where the user named none and the machine does not have the default.
	Why     string
	Version string // as Installed gave it
	Way     Way    // nil: the programs of this machine, between the testbed's own links
	Build   *Build // nil: the program that is installed
}

// Way is a way to run other drivers' UPFs. A user writes its name before the UPF's, as in
// container:eupf. It changes the environment that a driver starts in and wraps nothing, so all
// that the running UPF can be asked for stays.
type Way interface {
	Listed
	// Takes reports whether a UPF can be run this way.
	Takes(of Info) bool
	// Purpose is what the user has to name a UPF for: "which UPF the image holds".
	Purpose() string
	// Prepare changes the environment that the driver starts in. The remarks are those about
	// this run of the UPF.
	Prepare(ctx context.Context, d Driver, env *Env) (remarks []string, err error)
	// Doctor lists what bounds the figures of a UPF that is run this way, as Info.Doctor does.
	Doctor(of Info, env Env) []Finding
}

// In is the target of a way to run one of these drivers' UPFs: mode is the UPF's name and its mode,
// as the user writes them behind the way's name. The error says what there is.
func In(w Way, of []Driver, mode string) (Target, error) {
	name, own, _ := strings.Cut(mode, ":")
	var there []string
	for _, d := range of {
		info := d.Info()
		if !w.Takes(info) {
			continue
		}
		there = append(there, info.Name)
		if info.Name == name {
			_, err := info.ModeOf(own)
			return Target{Driver: d, Way: w, Mode: mode}, err
		}
	}
	return Target{}, fmt.Errorf("say %s, as in %s:%s%s; there are: %s", w.Purpose(), w.Info().Name, there[0], spelling.DidYouMean(name, there), strings.Join(there, ", "))
}

// Build is one of several programs of a UPF that are measured in one run, one after another. The
// driver finds its program by the environment variable, which is set while it looks.
type Build struct {
	Name     string // "1f2e3d", in the result "eupf@1f2e3d"
	Variable string // "UPFLAB_EUPF"
	Value    string // of the variable: the program
}

// Name is the target's in the result.
func (t Target) Name() string {
	var listed Listed = t.Driver
	if t.Way != nil {
		listed = t.Way
	}
	name := listed.Info().Name
	if t.Build != nil {
		name += "@" + t.Build.Name
	}
	return name
}

// Label is the target's name with its mode, as the user writes it.
func (t Target) Label() string {
	if t.Mode == "" {
		return t.Name()
	}
	return t.Name() + ":" + t.Mode
}

// Info is the driver's. With a Way it is the way's, with what the driver is bound to and the
// remarks of both.
func (t Target) Info() Info {
	info := t.Driver.Info()
	if t.Way != nil {
		of := info
		info = t.Way.Info()
		info.MaxSessions, info.OuterHeaders = of.MaxSessions, of.OuterHeaders
		info.IPv6UEs, info.NoIPv6UEs = of.IPv6UEs, of.NoIPv6UEs
		info.IPv6Transport, info.NoIPv6Transport = of.IPv6Transport, of.NoIPv6Transport
		info.Remarks = slices.Concat(info.Remarks, of.Remarks)
	}
	info.Name = t.Name()
	return info
}

// TakesUEs is an error where UEs have IPv6 and the UPF does not forward for such.
func (t Target) TakesUEs(family scenario.Family) error {
	info := t.Info()
	if !family.IPv6() || info.IPv6UEs {
		return nil
	}
	return fmt.Errorf("ue.family is %s, but %s gets UEs with IPv4 alone: %s; set ue.family to ipv4, or leave the UPF out",
		family, t.Label(), cmp.Or(info.NoIPv6UEs, "upflab has not tried it with others"))
}

// TakesIPsec is an error where N3 is protected and the UPF's frames do not go through the kernel that does it.
func (t Target) TakesIPsec(asked bool) error {
	info := t.Driver.Info()
	if !asked || slices.Contains(info.N3Sockets, t.driverMode()) && !info.External {
		return nil
	}
	why, instead := "upflab does not start it", "leave it out"
	if !info.External {
		why = "it takes and sends the frames of N3 without the kernel's IPsec"
	}
	if len(info.N3Sockets) > 0 {
		instead = "use " + Target{Driver: t.Driver, Mode: info.N3Sockets[0]}.Label()
	}
	return fmt.Errorf("n3.ipsec is esp, but of %s N3 cannot be protected: %s; %s, or set n3.ipsec to none", t.Label(), why, instead)
}

// Installed gives the version found here, or an error that says where to get the UPF.
func (t Target) Installed() (version string, err error) {
	err = t.Build.while(func() error {
		if t.Way != nil {
			version, err = t.Way.Installed()
		} else {
			version, err = t.Driver.Installed()
		}
		return err
	})
	return version, err
}

// Start brings the UPF up; the caller need not set env.Mode.
func (t Target) Start(ctx context.Context, env Env) (i *Instance, err error) {
	env.Mode = t.driverMode()
	var remarks []string
	err = t.Build.while(func() error {
		if t.Way != nil {
			if remarks, err = t.Way.Prepare(ctx, t.Driver, &env); err != nil {
				return err
			}
		}
		i, err = t.Driver.Start(ctx, env)
		return err
	})
	if err != nil {
		return nil, err
	}
	if t.Why != "" {
		remarks = append(remarks, t.Why)
	}
	i.Endpoint.Remarks = slices.Concat(remarks, i.Endpoint.Remarks)
	return i, nil
}

// Doctor lists what bounds the target's figures; the caller need not set env.Mode.
func (t Target) Doctor(env Env) (list []Finding) {
	env.Mode = t.driverMode()
	info := t.Driver.Info()
	if t.Way != nil {
		list = t.Way.Doctor(info, env)
	}
	if info.Doctor != nil {
		list = append(list, info.Doctor(env)...)
	}
	return list
}

// Defects are the UPF's known defects that touch a scenario.
func (t Target) Defects(s *scenario.Scenario) []string {
	if known := t.Driver.Info().Defects; known != nil {
		return known(t.driverMode(), s)
	}
	return nil
}

// Dialect is how the target speaks PFCP, as smf.Lookup knows it.
func (t Target) Dialect() string { return t.Driver.Info().DialectOf(t.driverMode()) }

// driverMode is the mode that the driver is started in.
func (t Target) driverMode() string {
	mode := t.Mode
	if t.Way != nil {
		_, mode, _ = strings.Cut(mode, ":")
	}
	resolved, _ := t.Driver.Info().ModeOf(mode) // it was checked when the target was made
	return cmp.Or(resolved, mode)
}

// Built is the target with another program: the one that the environment variable names when it
// has this value. It is called eupf@name. The error says that the driver does not find it.
func (t Target) Built(name, variable, value string) (Target, error) {
	t.Build = &Build{Name: name, Variable: variable, Value: value}
	var err error
	t.Version, err = t.Installed()
	return t, err
}

// while sets the variable for as long as do takes; nil sets none.
func (b *Build) while(do func() error) error {
	if b == nil {
		return do()
	}
	before, had := os.LookupEnv(b.Variable)
	if err := os.Setenv(b.Variable, b.Value); err != nil {
		return err
	}
	defer func() {
		if had {
			os.Setenv(b.Variable, before)
		} else {
			os.Unsetenv(b.Variable)
		}
	}()
	return do()
}

// TooOld warns of a version older than any that was run; "" when it is not.
func (t Target) TooOld() string {
	info := t.Info()
	if info.Oldest == "" || !Older(t.Version, info.Oldest) {
		return ""
	}
	return info.Name + " " + t.Version + " is older than " + info.Oldest + ", the oldest that upflab was run with: " +
		"if it rejects sessions or forwards nothing, update it first."
}
