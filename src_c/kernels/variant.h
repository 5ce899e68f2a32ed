// Names of the int8 layers when they are compiled once more, otherwise, for a build that has
// several kernels of an operator: each with MICROLITE_VARIANT in front. Included before all else
// by kernels and their glue alike.

#define VARIANT_PASTE(variant, name) variant##_##name
#define VARIANT_OF(variant, name) VARIANT_PASTE(variant, name)
#define VARIANT(name) VARIANT_OF(MICROLITE_VARIANT, name)

#define conv_s8                     VARIANT(conv_s8)
#define conv_s8_scratch             VARIANT(conv_s8_scratch)
#define depthwise_s8                VARIANT(depthwise_s8)
#define depthwise_s8_scratch        VARIANT(depthwise_s8_scratch)
#define depthwise_3x3_fits          VARIANT(depthwise_3x3_fits)
#define depthwise_3x3_s8            VARIANT(depthwise_3x3_s8)
#define depthwise_3x3_s8_scratch    VARIANT(depthwise_3x3_s8_scratch)
#define fully_connected_s8          VARIANT(fully_connected_s8)

#define Register_CONV_2D            VARIANT(Register_CONV_2D)
#define Register_DEPTHWISE_CONV_2D  VARIANT(Register_DEPTHWISE_CONV_2D)
#define Register_FULLY_CONNECTED    VARIANT(Register_FULLY_CONNECTED)
