using System;
using System.IO;
using System.IO.Compression;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Converters;

namespace HalfnoteShed.Core
{
    /// Writes saves as gzipped JSON. Rules, all of them learned the hard way:
    ///  - temp file first, then File.Replace. Never write in place (June 2025)
    ///  - enums by name (June 2026)
    ///  - what cannot be read is never overwritten (June 2026)
    public sealed class SaveWriter
    {
        public const int FormatVersion = 7;
        const int KeepGenerations = 3;

        static readonly JsonSerializerSettings Settings = new JsonSerializerSettings
        {
            NullValueHandling = NullValueHandling.Ignore,
            Converters = { new StringEnumConverter() }
        };

        readonly string _dir;

        public SaveWriter(string dir)
        {
            _dir = dir;
            Directory.CreateDirectory(dir);
        }

        string PathOf(int slot, int generation = 0)
        {
            var suffix = generation == 0 ? "" : "." + generation;
            return Path.Combine(_dir, $"season_{slot}.sav{suffix}");
        }

        /// Synchronous on purpose. On quit the engine does not wait for threads.
        public void Write(int slot, SeasonState state)
        {
            state.Version = FormatVersion;
            state.WrittenUtc = DateTime.UtcNow;
            var target = PathOf(slot);
            var temp = target + ".tmp";

            using (var file = File.Create(temp))
            using (var gzip = new GZipStream(file, CompressionLevel.Fastest))
            using (var writer = new StreamWriter(gzip, new UTF8Encoding(false)))
            {
                writer.Write(JsonConvert.SerializeObject(state, Settings));
            }

            Rotate(slot);
            if (File.Exists(target)) File.Replace(temp, target, PathOf(slot, 1));
            else File.Move(temp, target);
        }

        void Rotate(int slot)
        {
            for (int g = KeepGenerations - 1; g >= 1; g--)
            {
                var from = PathOf(slot, g);
                if (File.Exists(from)) File.Copy(from, PathOf(slot, g + 1), true);
            }
        }

        public SeasonState Read(int slot, out string problem)
        {
            problem = null;
            var path = PathOf(slot);
            if (!File.Exists(path)) return null;
            try
            {
                using (var file = File.OpenRead(path))
                using (var gzip = new GZipStream(file, CompressionMode.Decompress))
                using (var reader = new StreamReader(gzip))
                {
                    var state = JsonConvert.DeserializeObject<SeasonState>(reader.ReadToEnd(), Settings);
                    if (state.Version > FormatVersion)
                    {
                        problem = "save_from_newer_version";
                        return null;
                    }
                    return SaveMigrations.Upgrade(state);
                }
            }
            catch (Exception e) when (e is JsonException || e is InvalidDataException)
            {
                File.Move(path, path + ".unreadable");
                problem = "save_unreadable";
                return null;
            }
        }
    }
}
