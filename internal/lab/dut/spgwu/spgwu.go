// Package spgwu drives openair-spgwu-tiny, OpenAirInterface's older user plane:
// https://github.com/OPENAIRINTERFACE/openair-spgwu-tiny
package spgwu

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

//go:embed spgw_u.conf.tmpl
var config string

// program is what openair-spgwu-tiny's image calls its program; its own build calls it spgwu.
const program = "oai_spgwu"

// Driver is dut.Driver for openair-spgwu-tiny.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "it takes UEs with IPv4 only",
		NoIPv6Transport: "its configuration has IPv4 addresses alone",
		Doctor:          doctor, Defects: defects,
		Name: "spgwu", Dialect: "spgwu-tiny", Contained: true, MaxSessions: maxSessions,
		Published: dut.Published{Image: "docker.io/oaisoftwarealliance/oai-spgwu-tiny:v1.5.1", Program: "/openair-spgwu-tiny/bin/oai_spgwu"},
		Summary:   "openair-spgwu-tiny: UDP sockets and a TUN device",
		Docs:      "https://github.com/OPENAIRINTERFACE/openair-spgwu-tiny",
		Verified:  "tried, v1.4.0", // its program does not report a version
		Remarks: []string{"openair-spgwu-tiny gives downlink packets the QFI of the uplink PDR that took the session's last uplink packet, " +
			"not a QER's."},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here. Its program does not
// report its version.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), program)
	if err != nil {
		return "", err
	}
	return dut.GoVersion(path), nil
}

// maxSessions is the size of its tables, fixed when it is compiled: 1024 sessions,
// and 1024 PDRs of each direction.
const maxSessions = 1024

// values fill the configuration.
type values struct {
	Dir        string
	Instance   int    // 10 to 99
	N3, N4, N6 string // devices
	SMF        netip.Addr
	Pool       netip.Prefix
	DNN        string
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), program)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(check(env.Scenario), calls(env)); err != nil {
		return nil, err
	}
	t := env.Site
	instance, lock := process.FreeInstance("/var/run", command[len(command)-1])
	file, err := dut.Render(env.Dir, "spgw_u.conf", config, values{
		Dir: env.Dir, Instance: instance, N3: t.Links().UPFN3.Name, N4: t.Links().UPFN4.Name, N6: t.Links().UPFN6.Name,
		SMF: t.Links().SMFN4.Addr, Pool: env.Scenario.UE.Pool.Masked(), DNN: env.Scenario.N4.NetworkInstance,
	})
	if err != nil {
		return nil, err
	}
	log, begin := startLog{path: filepath.Join(env.Dir, "spgwu.log")}, time.Now()
	// It ends at once when it sees another process whose command line has its name.
	g, err := process.StartGroup(ctx, process.GroupSpec{Site: t, Dir: env.Dir, PIDNamespace: env.Image == nil, Parts: []process.Part{
		{Name: program, Ready: log.started, Spec: process.Spec{
			Image: env.Image, Args: append(command, "-c", file, "-o"), CPUs: env.CPUs, Log: log.path, Dir: env.Dir,
		}}}})
	if err != nil {
		if env.Image == nil {
			err = errors.Join(err, remove(begin, []string{lock}))
		}
		return nil, err
	}
	at := dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.SPGWUTiny()}
	r := running{Group: g, begin: begin}
	if env.Image == nil { // in a container they are the container's
		r.files = append(statusFiles(g.PIDs()), lock)
	}
	return &dut.Instance{Program: r, Rendered: []string{file}, Endpoint: at}, nil
}

// appStarted is what it logs last of its start; later versions pad the names.
var appStarted = regexp.MustCompile(`\[spgwu_app *\] \[start *\] Started`)

// startLog is the log of a start, of which each question reads what came since the one before.
type startLog struct {
	path string
	read int64  // octets of it so far
	line []byte // begins with its last, unfinished line
}

// mostRead bounds what a question reads, and the line that it keeps, octets.
const mostRead = 1 << 20

// started is nil when the log says that all parts of the UPF are there. It associates before that, and a
// session request which comes then ends it by a segmentation fault. When nobody answers it asks again, each second.
func (l *startLog) started() error {
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < l.read { // it was cut to its end
		l.read, l.line = 0, nil
	}
	if _, err := f.Seek(l.read, io.SeekStart); err != nil {
		return err
	}
	more, err := io.ReadAll(io.LimitReader(f, mostRead))
	if err != nil {
		return err
	}
	l.read += int64(len(more))
	text := append(l.line, more...)
	if appStarted.Match(text) {
		return nil
	}
	l.line = text[max(bytes.LastIndexByte(text, '\n')+1, len(text)-mostRead):]
	return errors.New("its log has no \"[spgwu_app] [start] Started\" yet: is it openair-spgwu-tiny v1.4.0?")
}

// running is the UPF, and the files that it leaves outside of its folder.
type running struct {
	*process.Group
	begin time.Time
	files []string
}

// Stop ends the UPF and removes what it has left.
func (r running) Stop() error {
	err := r.Group.Stop()
	return errors.Join(err, remove(r.begin, r.files))
}

// remove removes those of the files that were written since.
func remove(since time.Time, files []string) (err error) {
	for _, file := range written(since, files) {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// statusFiles are those that the UPF writes to /tmp when it runs, by its PID in its own namespace.
func statusFiles(pids []int) (list []string) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(text), "NSpid:")
		line, _, _ := strings.Cut(after, "\n")
		if all := strings.Fields(line); len(all) > 1 {
			list = append(list, "/tmp/spgwu_"+all[len(all)-1]+".status")
		}
	}
	return list
}

// written are those of the files that were written since.
func written(since time.Time, files []string) []string {
	return slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Lstat(file)
		return err != nil || info.ModTime().Before(since.Add(-10*time.Millisecond)) // file systems keep coarser times
	})
}

// calls looks for what the UPF itself starts by a shell.
func calls(env dut.Env) error {
	return env.Calls("openair-spgwu-tiny", []dut.Called{
		{"ip", "iproute2"}, {"ethtool", "ethtool"}, {"/sbin/sysctl", "procps"}, {"ps", "procps"},
	})
}

// check refuses what the sources do not do.
func check(s *scenario.Scenario) error {
	if s.Sessions > maxSessions {
		return fmt.Errorf("openair-spgwu-tiny's tables hold %d sessions, not %d: set sessions=%d or less", maxSessions, s.Sessions, maxSessions)
	}
	if s.TEID.Assign == scenario.AssignSMF {
		return fmt.Errorf("openair-spgwu-tiny rejects F-TEIDs that the SMF assigns: set teid.assign to auto or upf")
	}
	if !s.UE.First.Is4() {
		return fmt.Errorf("openair-spgwu-tiny takes IPv4 UEs only: set ue.first to an IPv4 address, not %s", s.UE.First)
	}
	if own := s.UE.Pool.Masked().Addr().Next(); s.UE.First == own {
		return fmt.Errorf("openair-spgwu-tiny gives tun0 the first address of the UE pool, %s: set ue.first to %s", own, own.Next())
	}
	return nil
}
