package upgvpp

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plugin writes an ELF file that has nothing but a section.
func plugin(t *testing.T, path, section string, data []byte) {
	t.Helper()
	names := "\x00" + section + "\x00.shstrtab\x00"
	const header, entry = 64, 64
	at := uint64(header)
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: header,
		Shentsize: entry, Shnum: 3, Shstrndx: 2}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	h.Shoff = at + uint64(len(data)+len(names))
	sections := []elf.Section64{{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: at, Size: uint64(len(data))},
		{Name: uint32(len(section) + 2), Type: uint32(elf.SHT_STRTAB), Off: at + uint64(len(data)), Size: uint64(len(names))},
	}
	var b bytes.Buffer
	for _, part := range []any{h, data, []byte(names), sections} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// registration is a plugin's: flags, then the version.
func registration(version string) []byte {
	b := make([]byte, 512)
	copy(b[1:], version)
	return b
}

// install makes a VPP as packages lay it out, with the plugins given, and has
// UPFLAB_UPGVPP name it. Its program is a script.
func install(t *testing.T, script, plugins string) (folder string) {
	t.Helper()
	prefix := t.TempDir()
	folder = filepath.Join(prefix, plugins)
	for _, dir := range []string{filepath.Join(prefix, "bin"), folder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(prefix, "bin", "vpp")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_UPGVPP", program)
	return folder
}

func TestInstalled(t *testing.T) {
	const section = ".vlib_plugin_registration"
	for _, c := range []struct {
		why, plugins string
		upf, own     []byte // nil: not there
		section      string
		want, words  string
	}{
		{"Debian's layout", "lib/x86_64-linux-gnu/vpp_plugins", registration("v2.0.0"), registration("24.02-release"),
			section, "v2.0.0 on VPP 24.02-release", ""},
		{"upstream's layout", "lib/vpp_plugins", registration("v1.13.0"), registration("23.10"), section, "v1.13.0 on VPP 23.10", ""},
		{"VPP alone", "lib/vpp_plugins", nil, registration("24.02"), section, "", "has no UPF plugin"},
		{"no host-interface", "lib/vpp_plugins", registration("v2.0.0"), nil, section, "", "needs the plugin af_packet"},
		{"another ELF file", "lib/vpp_plugins", registration("v2.0.0"), nil, ".data", "", "is no plugin of VPP"},
		{"cut short", "lib/vpp_plugins", []byte("\x00v2"), nil, section, "", "has 3 octets"},
	} {
		folder := install(t, "", c.plugins)
		for name, data := range map[string][]byte{"upf": c.upf, "af_packet": c.own} {
			if data != nil {
				plugin(t, filepath.Join(folder, name+"_plugin.so"), c.section, data)
			}
		}
		got, err := Driver{}.Installed()
		if got != c.want || (c.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %q, %v", c.why, got, err)
		}
	}
	t.Setenv("UPFLAB_UPGVPP", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := (Driver{}).Installed(); err == nil || !strings.Contains(err.Error(), "github.com/travelping/upg-vpp") {
		t.Errorf("where it is not: %v", err)
	}
}
