package measure

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/behaviour/interop"
)

func newInterop() *cobra.Command {
	c := &cobra.Command{Use: "interop", Short: "Make dialects of SMFs, which show what a UPF misreads of them", Args: cobra.NoArgs,
		Long: `A dialect is the N4 conversation of an SMF. Play all that upflab has, with packets each way, by

  upflab run interop --dut NAME --dut OTHER

and list them by ` + "`upflab behaviour list interop`.",
	}
	c.AddCommand(newInteropRecord())
	return c
}

// recordFlags are the flags of `upflab interop record`.
type recordFlags struct {
	name, source string
	session      int
}

func newInteropRecord() *cobra.Command {
	var f recordFlags
	c := &cobra.Command{Use: "record FILE", Short: "Make a dialect from a capture of N4", Args: cobra.ExactArgs(1),
		Long: `Print the dialect of the SMF in a capture of N4, pcap or pcapng, which begins before the
association. Addresses, TEIDs, SEIDs and network instances become placeholders. A User ID
stays: remove it before you share the dialect.`,
		Example: `  tcpdump -i any -s 0 -w n4.pcap udp port 8805
  upflab interop record n4.pcap --name our-smf --source "Our SMF 1.2" > our-smf.n4
  upflab run interop --dut builtin --set dialects=our-smf.n4 --case interop.our-smf`,
		RunE: func(c *cobra.Command, args []string) error {
			d, err := f.record(args[0])
			if err != nil {
				return exit.WrongConfig(err)
			}
			fmt.Fprint(c.OutOrStdout(), d)
			return nil
		},
	}
	c.Flags().StringVar(&f.name, "name", "recorded", "`NAME` of the dialect: small letters, digits and -")
	c.Flags().StringVar(&f.source, "source", "", "`TEXT` that says which SMF it is, and its version; default: the file's name")
	c.Flags().IntVar(&f.session, "session", 1, "`N`-th session of the capture to take, from 1")
	return c
}

// record makes the dialect of a capture's file.
func (f *recordFlags) record(file string) (*interop.Dialect, error) {
	if f.session < 1 {
		return nil, fmt.Errorf("--session %d: sessions count from 1", f.session)
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	source := f.source
	if source == "" {
		source = "capture " + fileName(in.Name())
	}
	d, err := interop.Record(f.name, source, in, f.session)
	if err != nil {
		return nil, fmt.Errorf("no dialect can be made of %s: %w", file, err)
	}
	return d, nil
}
