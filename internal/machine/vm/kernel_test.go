package vm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// image is the start of a bzImage whose version is at 0x3600, as that of Linux 6.1.
func image(version string) []byte {
	b := make([]byte, 0x4000)
	copy(b[0x202:], "HdrS")
	b[0x20e], b[0x20f] = 0x00, 0x34 // counted from 0x200
	copy(b[0x3600:], version+"\x00")
	return b
}

// kernels makes a folder with the kernel 6.1 of upflab's cache, and gives it.
func kernels(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	files := map[string]string{
		"6.1/vmlinuz": string(image("6.1.0-50-amd64 (debian-kernel@lists.debian.org) #1 SMP")),
		"6.1/lib/modules/6.1.0-50-amd64/modules.dep": "kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs/netfs.ko\n" +
			"kernel/net/9p/9pnet.ko: kernel/fs/netfs/netfs.ko\nkernel/fs/netfs/netfs.ko:\nkernel/net/9p/9pnet_virtio.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs/netfs.ko\n" +
			"kernel/fs/overlayfs/overlay.ko:\n",
		"6.1/lib/modules/6.1.0-50-amd64/modules.builtin": "kernel/drivers/virtio/virtio_pci.ko\n",
		"bad/vmlinuz":   "no kernel",
		"alone/vmlinuz": string(image("5.99.0")),
	}
	for _, name := range []string{"fs/9p/9p", "net/9p/9pnet", "fs/netfs/netfs", "net/9p/9pnet_virtio", "fs/overlayfs/overlay"} {
		files["6.1/lib/modules/6.1.0-50-amd64/kernel/"+name+".ko"] = "module " + filepath.Base(name)
	}
	for name, content := range files {
		path := filepath.Join(cache, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cache
}

func TestFindKernel(t *testing.T) {
	cache := kernels(t)
	want := Kernel{filepath.Join(cache, "6.1/vmlinuz"), filepath.Join(cache, "6.1/lib/modules/6.1.0-50-amd64"), "6.1.0-50-amd64"}
	for _, name := range []string{"6.1", filepath.Join(cache, "6.1"), filepath.Join(cache, "6.1/vmlinuz")} {
		if k, err := FindKernel(name, cache); err != nil || k != want {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
	for name, says := range map[string]string{
		"6.2":                        `no kernel "6.2": vm.kernel is host, the path`,
		"bad":                        "is no image of an x86 kernel",
		"alone":                      "has no modules in " + filepath.Join(cache, "alone/lib/modules/5.99.0"),
		filepath.Join(cache, "none"): "no such file",
	} {
		if _, err := FindKernel(name, cache); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if _, err := FindKernel("6.2", cache); !strings.Contains(err.Error(), "6.1, alone, bad in "+cache) {
		t.Errorf("it does not list the kernels: %v", err)
	}
}

// A module is loaded behind those that it needs, and what is part of the kernel is not.
func TestEarlyModules(t *testing.T) {
	k, err := FindKernel("6.1", kernels(t))
	if err != nil {
		t.Fatal(err)
	}
	list, err := k.early()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
		if string(m.data) != "module "+m.name {
			t.Errorf("%s is %q", m.name, m.data)
		}
	}
	if want := []string{"netfs", "9pnet", "9pnet_virtio", "9p", "overlay"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if !k.Has("virtio_pci") || k.Has("igb") {
		t.Error("it has virtio_pci built in, and no igb")
	}
	if err := os.WriteFile(filepath.Join(k.Modules, "modules.builtin"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := k.early(); err == nil || !strings.Contains(err.Error(), "no module virtio_pci, by which it would see this machine's files") {
		t.Errorf("%v", err)
	}
}
