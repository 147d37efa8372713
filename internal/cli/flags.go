package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/upflab/upflab/internal/text/spelling"
)

// plainly says what is wrong with a flag and what it takes, without the words of the parser.
func plainly(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return fmt.Errorf("%w%s", err, spelling.DidYouMean(unknown.GetSpecifiedName(), names))
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag, takes := invalid.GetFlag(), ""
	switch flag.Value.Type() {
	case "bool":
		takes = "it takes no value, or true or false"
	case "int", "int64", "uint", "uint16", "uint32", "uint64":
		takes = "it takes a whole number"
	case "float64":
		takes = "it takes a number"
	case "duration":
		takes = "it takes a time with its unit, such as 500ms, 10s or 2m"
	default:
		takes = errors.Unwrap(invalid).Error() // a type of ours says what it takes
	}
	given := "--" + flag.Name
	if v := invalid.GetValue(); v != "" {
		given += "=" + v
	}
	return fmt.Errorf("%s: %s", given, takes)
}
