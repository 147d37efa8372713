package upgvpp

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path/filepath"
)

// findPlugin gives the UPF plugin that belongs to a VPP: in lib/vpp_plugins next to
// bin/, or in an architecture's folder there.
func findPlugin(vpp string) (string, error) {
	real, err := filepath.EvalSymlinks(vpp)
	if err != nil {
		return "", fmt.Errorf("follow %s: %w", vpp, err)
	}
	prefix := filepath.Dir(filepath.Dir(real))
	for _, pattern := range []string{"lib/vpp_plugins", "lib/*/vpp_plugins", "lib64/vpp_plugins"} {
		found, err := filepath.Glob(filepath.Join(prefix, pattern, "upf_plugin.so"))
		if err == nil && len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("%s has no UPF plugin: no vpp_plugins/upf_plugin.so in %s/lib; install UPG-VPP, %s",
		vpp, prefix, Driver{}.Info().Docs)
}

// version reads the versions that the plugins report: UPG-VPP's, and VPP's from one of
// VPP's plugins.
func version(vpp, plugin string) (string, error) {
	upg, err := registered(plugin)
	if err != nil {
		return "", err
	}
	own, err := registered(filepath.Join(filepath.Dir(plugin), "af_packet_plugin.so"))
	if err != nil {
		return "", fmt.Errorf("%w: N4 needs the plugin af_packet of the same VPP as %s", err, vpp)
	}
	return upg + " on VPP " + own, nil
}

// registered is the version in a plugin's registration (VPP's
// src/vlib/unix/plugin.h): an octet of flags, then 64 of text.
func registered(path string) (string, error) {
	const section, first, length = ".vlib_plugin_registration", 1, 64
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", path, err)
	}
	defer f.Close()
	s := f.Section(section)
	if s == nil {
		return "", fmt.Errorf("%s is no plugin of VPP: it has no section %s", path, section)
	}
	b, err := s.Data()
	if err != nil || len(b) < first+length {
		return "", fmt.Errorf("read the version of %s: its registration has %d octets: %v", path, len(b), err)
	}
	text, _, _ := bytes.Cut(b[first:first+length], []byte{0})
	return string(text), nil
}
