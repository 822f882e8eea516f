// What reviewdog's errorformat reads on standard input, with all formats that it ships at once: one JSON object a line.
package main

import (
	"encoding/json"
	"os"
	"sort"

	"github.com/reviewdog/errorformat"
	"github.com/reviewdog/errorformat/fmts"
)

type entry struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func main() {
	defined := fmts.DefinedFmts()
	names := make([]string, 0, len(defined))
	for name := range defined {
		names = append(names, name)
	}
	sort.Strings(names)
	all := []string{}
	for _, name := range names {
		all = append(all, defined[name].Errorformat...)
	}
	formats, err := errorformat.NewErrorformat(all)
	if err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	scanner := formats.NewScanner(os.Stdin)
	for scanner.Scan() {
		found := scanner.Entry()
		if found.Filename == "" {
			continue // some formats take any line as a message: that would be held against it
		}
		if err := out.Encode(entry{found.Filename, found.Lnum, found.Col, found.Text}); err != nil {
			panic(err)
		}
	}
}
